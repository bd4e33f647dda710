const MAX_MEGABYTES = 64

/** An answer that is longer than any of a portal, and was not read as a whole. */
export class TooLong extends Error {
  constructor() {
    super(`answers with more than ${MAX_MEGABYTES} MB, which is not read. Ask for fewer fields or smaller pages.`)
  }
}

/** The text of a response, as it is once decompressed. */
export async function boundedText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let received = 0
  for await (const chunk of body ?? []) {
    received += chunk.length
    if (received > MAX_MEGABYTES * 1_000_000) throw new TooLong() // leaving the loop closes the connection
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  return parts.join('') + decoder.decode()
}
