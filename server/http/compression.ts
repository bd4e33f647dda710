import { compress, wantedEncoding } from './encoding.ts'
import type { HttpAnswer } from './http-io.ts'

/** Shorter answers fit into a few packets as they are. */
const COMPRESSED_FROM = 8 * 1024
/** More at once would only wait for each other, and for what else needs a thread. */
const AT_ONCE = 4

/**
 * Compresses long answers for clients that accept it; a short one costs a comparison. Not for answers that may contain a
 * secret: the length of a compressed one could give it away, together with text that somebody else has chosen.
 */
export function createCompression() {
  let underWay = 0
  return (answer: HttpAnswer, acceptEncoding: string | undefined): HttpAnswer | Promise<HttpAnswer> => {
    const { body, headers } = answer
    if (body.length < COMPRESSED_FROM || typeof body !== 'string') return answer
    const varying = { ...answer, headers: { ...headers, vary: 'Accept-Encoding' } }
    const encoding = wantedEncoding(acceptEncoding)
    if (encoding === undefined || underWay >= AT_ONCE) return varying
    underWay++
    return compress(body, encoding)
      .then((bytes) => ({ ...answer, headers: { ...varying.headers, 'content-encoding': encoding }, body: bytes }))
      .finally(() => underWay--)
  }
}
