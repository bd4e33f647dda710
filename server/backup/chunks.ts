import type { FileHandle } from 'node:fs/promises'
import { Transform, type TransformCallback } from 'node:stream'
import { type ChunkCipher, TAG_BYTES } from './chunk-cipher.ts'
import { CHUNK_BYTES, damagedBackup, LAST_CHUNK, LENGTH_BYTES, truncatedBackup } from './format.ts'

export class ChunkWriter extends Transform {
  readonly #cipher: ChunkCipher
  #parts: Buffer[] = []
  #bytes = 0
  #index = 0

  constructor(cipher: ChunkCipher) {
    super()
    this.#cipher = cipher
  }

  override _transform(part: Buffer, _encoding: string, done: TransformCallback): void {
    this.#parts.push(part)
    this.#bytes += part.length
    while (this.#bytes > CHUNK_BYTES) this.#push({ isLast: false }) // what is left may be the last
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#push({ isLast: true })
    done()
  }

  #push({ isLast }: { isLast: boolean }): void {
    const all = Buffer.concat(this.#parts)
    const { payload, tag } = this.#cipher.close(all.subarray(0, CHUNK_BYTES), { index: this.#index++, isLast })
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(payload.length + (isLast ? LAST_CHUNK : 0))
    this.push(Buffer.concat([length, payload, tag]))
    const rest = all.subarray(CHUNK_BYTES)
    this.#parts = [rest]
    this.#bytes = rest.length
  }
}

interface Chunked {
  file: FileHandle
  path: string
  position: number
  cipher: ChunkCipher
}

/** The contents of the chunks, each only once its tag is known to be right. Throws if the file is not whole. */
export async function* openChunks({ file, path, position, cipher }: Chunked): AsyncGenerator<Buffer> {
  let at = position
  for (let index = 0; ; index++) {
    const length = (await read(LENGTH_BYTES)).readUInt32BE()
    const isLast = length >= LAST_CHUNK
    const bytes = isLast ? length - LAST_CHUNK : length
    if (bytes > CHUNK_BYTES) throw damagedBackup(path)
    const chunk = await read(bytes + TAG_BYTES)
    const opened = cipher.open(chunk.subarray(0, bytes), chunk.subarray(bytes), { index, isLast })
    if (!opened || (isLast && !(await isEnd()))) throw damagedBackup(path) // before whoever reads it has all of the contents
    yield opened
    if (isLast) return
  }

  async function isEnd(): Promise<boolean> {
    return (await file.read(Buffer.alloc(1), 0, 1, at)).bytesRead === 0
  }

  async function read(bytes: number): Promise<Buffer> {
    const part = Buffer.allocUnsafe(bytes)
    let filled = 0
    while (filled < bytes) {
      const { bytesRead } = await file.read(part, filled, bytes - filled, at)
      if (bytesRead === 0) throw truncatedBackup(path)
      filled += bytesRead
      at += bytesRead
    }
    return part
  }
}
