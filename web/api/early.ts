interface Early {
  query: string
  slug: string
  at: number
  response: Promise<Response>
}

/** Set by start.js. */
const place = globalThis as { portalEarly?: Early | undefined }

const FRESH_MS = 10_000

/**
 * The response to a request that start.js has sent before this script was there; undefined for any other. It is taken
 * once, and soon: afterwards somebody else may have signed in.
 */
export function takeEarly(query: string, slug = ''): Promise<Response> | undefined {
  const early = place.portalEarly
  if (early?.query !== query || early.slug !== slug) return undefined
  place.portalEarly = undefined
  return Date.now() - early.at < FRESH_MS ? early.response : undefined
}
