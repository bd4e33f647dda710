import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { someBytes } from '../lib/random.ts'
import { type ChunkCipher, checksums, encryption, TAG_BYTES } from './chunk-cipher.ts'
import { ChunkWriter, openChunks } from './chunks.ts'
import { CHUNK_BYTES, LENGTH_BYTES } from './format.ts'

const HEADER = Buffer.from('{"format":"a test"}\n')
const CONTENT = someBytes(2 * CHUNK_BYTES + 1000)
const WHOLE = LENGTH_BYTES + CHUNK_BYTES + TAG_BYTES

async function readIn(content: Buffer, cipher: ChunkCipher): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'file'), content)
  const file = await open(join(folder, 'file'))
  try {
    return await buffer(openChunks({ file, path: 'file', position: 0, cipher }))
  } finally {
    await file.close()
  }
}

describe.each([
  ['checksums', () => checksums(HEADER), () => checksums(Buffer.from('{"format":"another"}\n'))],
  ['encryption', () => encryption(HEADER, Buffer.alloc(32, 1)), () => encryption(HEADER, Buffer.alloc(32, 2))],
] as const)('chunks with %s', (_name, cipherOf, otherCipher) => {
  const write = (content = CONTENT) => buffer(Readable.from([content]).pipe(new ChunkWriter(cipherOf())))

  it('are read as they were written, of any length', async () => {
    for (const length of [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, CONTENT.length]) {
      const content = CONTENT.subarray(0, length)
      expect((await readIn(await write(content), cipherOf())).equals(content), `${length} bytes`).toBe(true)
    }
  })

  it('with something behind the last, nothing of the last is read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'file'), Buffer.concat([await write(), Buffer.from('x')]))
    const file = await open(join(folder, 'file'))
    onTestFinished(() => file.close())
    const chunks = openChunks({ file, path: 'file', position: 0, cipher: cipherOf() })
    for (let whole = 0; whole < 2; whole++) expect((await chunks.next()).value).toHaveLength(CHUNK_BYTES)
    await expect(chunks.next()).rejects.toThrow('is damaged')
  })

  it('are refused in another order, and if one is missing, twice there, or of another backup', async () => {
    const written = await write()
    const [one, two, last] = [
      written.subarray(0, WHOLE),
      written.subarray(WHOLE, 2 * WHOLE),
      written.subarray(2 * WHOLE),
    ]
    const damaged = {
      reordered: [two, one, last],
      withoutFirst: [two, last],
      withoutSecond: [one, last],
      twice: [one, one, two, last],
    }
    for (const [name, parts] of Object.entries(damaged))
      await expect(readIn(Buffer.concat(parts), cipherOf()), name).rejects.toThrow('is damaged')
    await expect(readIn(Buffer.concat([one, two]), cipherOf())).rejects.toThrow('is incomplete')
    const lastToo = Buffer.from(two)
    lastToo.writeUInt8(0x80 | (lastToo[0] ?? 0))
    await expect(readIn(Buffer.concat([one, lastToo]), cipherOf()), 'ended early').rejects.toThrow('is damaged')
    await expect(readIn(written, otherCipher())).rejects.toThrow('is damaged')
  })
})
