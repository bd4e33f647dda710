import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { HttpAnswer } from './send-answer.ts'

/** The encodings that are known; of equal weight, the first is chosen. Some clients ask for zstd and cannot read it. */
const ENCODINGS = ['br', 'gzip', 'zstd'] as const

/** What comes after them is not read: no client sends as many, and each takes its time. */
const MAX_PARTS = 20

export type Encoding = (typeof ENCODINGS)[number]

/** The encoding that a client wants most of those that are offered, by its Accept-Encoding header; undefined: it wants none. */
export function wantedEncoding(accept: string | undefined): Encoding | undefined
export function wantedEncoding<Offered extends Encoding>(
  accept: string | undefined,
  offered: readonly Offered[],
): Offered | undefined
export function wantedEncoding(
  accept: string | undefined,
  offered: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  if (accept === undefined || accept === '') return undefined
  const weights = new Map(accept.toLowerCase().split(',', MAX_PARTS).map(weighted))
  const weightOf = (name: string) => weights.get(name) ?? (name === 'identity' ? 0 : weights.get('*')) ?? 0
  const [first] = offered.toSorted((a, b) => weightOf(b) - weightOf(a)) // a stable sort
  return first && weightOf(first) > 0 && weightOf(first) >= weightOf('identity') ? first : undefined
}

function weighted(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';', MAX_PARTS).map((each) => each.trim())
  const weight = parameters.find((each) => each.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}

const zlib = { gzip: promisify(gzip), br: promisify(brotliCompress), zstd: promisify(zstdCompress) }

/** Compresses in another thread, quickly: levels above these take much longer and save little. */
export function compress(text: string, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'zstd':
      return zlib.zstd(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
    case 'br':
      return zlib.br(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
    case 'gzip':
      return zlib.gzip(text, { level: 1 })
  }
}

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
