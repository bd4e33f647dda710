import { withoutRootDot } from '../lib/host.ts'

/** The origins whose pages may call the API: a set as browsers spell them, or all. */
export type CorsOrigins = ReadonlySet<string> | '*'

const MAX_ORIGINS = 100

/** A list such as `https://app.example.com,http://localhost:5173`, or `*` alone. */
export function parseCorsOrigins(text: string): CorsOrigins | undefined {
  if (text === '*') return '*'
  const parts = text.split(',').map((part) => part.trim())
  const origins = parts.map(originIn)
  if (parts.length > MAX_ORIGINS || origins.includes(undefined)) return undefined
  return new Set(origins.filter((origin) => origin !== undefined))
}

/** As a browser sends it: lower case, without a default port. */
function originIn(text: string): string | undefined {
  const url = URL.canParse(text) && !text.includes('*') ? new URL(text) : undefined
  const isBare = url?.href === `${url?.origin}/` // no path, no query, no user name or password
  return url && /^https?:$/.test(url.protocol) && isBare ? withoutRootDot(url.origin) : undefined
}
