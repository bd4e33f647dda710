const ROUNDS = 64
const WORDS_OF_A_BLOCK = 16
/** What fits into one block of 64 bytes, before the last bit and its length in eight bytes. */
const LONGEST = 55
const MAX_ASCII = 0x7f

/** The fractions of roots of the first primes, as FIPS 180-4 has it. */
const K = Int32Array.from(primes(ROUNDS), (prime) => fractionOf(Math.cbrt(prime)))
const START = Int32Array.from(primes(8), (prime) => fractionOf(Math.sqrt(prime)))

const words = new Int32Array(ROUNDS)

/**
 * SHA-256 of a text of up to 55 characters of ASCII, which is one block; undefined for any other. Each request with a
 * key needs one. In the middle of its other work OpenSSL takes 8.7 µs for so short a text, and this 3.3 µs
 * (docs/decisions/0036).
 */
export function sha256OfShortText(text: string): Uint8Array | undefined {
  if (text.length > LONGEST || !fillBlock(text)) return undefined
  const w = words
  for (let t = WORDS_OF_A_BLOCK; t < ROUNDS; t++) {
    const x = w[t - 15] as number
    const y = w[t - 2] as number
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[t] = (w[t - 16] as number) + s0 + (w[t - 7] as number) + s1
  }
  const [h0, h1, h2, h3] = [START[0] as number, START[1] as number, START[2] as number, START[3] as number]
  const [h4, h5, h6, h7] = [START[4] as number, START[5] as number, START[6] as number, START[7] as number]
  let a = h0
  let b = h1
  let c = h2
  let d = h3
  let e = h4
  let f = h5
  let g = h6
  let h = h7
  for (let t = 0; t < ROUNDS; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[t] as number) + (w[t] as number)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const digest = Buffer.allocUnsafe(32)
  putWord(digest, 0, h0 + a)
  putWord(digest, 4, h1 + b)
  putWord(digest, 8, h2 + c)
  putWord(digest, 12, h3 + d)
  putWord(digest, 16, h4 + e)
  putWord(digest, 20, h5 + f)
  putWord(digest, 24, h6 + g)
  putWord(digest, 28, h7 + h)
  return digest
}

/** The text, the last bit, and its length in bits. Returns whether it is ASCII. */
function fillBlock(text: string): boolean {
  const w = words
  for (let i = 0; i < WORDS_OF_A_BLOCK; i++) w[i] = 0
  const { length } = text
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code > MAX_ASCII) return false
    w[at >> 2] = (w[at >> 2] as number) | (code << (24 - ((at & 3) << 3)))
  }
  w[length >> 2] = (w[length >> 2] as number) | (0x80 << (24 - ((length & 3) << 3)))
  w[WORDS_OF_A_BLOCK - 1] = length << 3
  return true
}

function putWord(bytes: Uint8Array, at: number, word: number): void {
  bytes[at] = word >>> 24
  bytes[at + 1] = word >>> 16
  bytes[at + 2] = word >>> 8
  bytes[at + 3] = word
}

function primes(count: number): number[] {
  const found: number[] = []
  for (let n = 2; found.length < count; n++) {
    if (found.every((prime) => n % prime !== 0)) found.push(n)
  }
  return found
}

/** Its first 32 bits. */
function fractionOf(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0
}
