import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type { Dump } from '../db/dump.ts'
import { someBytes } from '../lib/random.ts'
import { checksums, encryption, keysFrom } from './chunk-cipher.ts'
import { ChunkWriter } from './chunks.ts'
import {
  type About,
  END_OF_ROWS,
  FORMAT,
  FORMAT_VERSION,
  type Header,
  type TableEnd,
  type TableStart,
} from './format.ts'

export interface Progress {
  rows: number
  of: number
}

export type OnProgress = (progress: Progress) => void

/** How whoever started it follows a long piece of work, and ends it early. */
export interface Watch {
  onProgress?: OnProgress | undefined
  signal?: AbortSignal | undefined
}

const SALT_BYTES = 16
const LINE_BREAK = 10
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 0 } }

interface Writing extends Watch {
  about: About
  passphrase?: string | undefined
}

export async function writeBackup(
  dump: Dump,
  to: Writable,
  { about, passphrase, onProgress, signal }: Writing,
): Promise<void> {
  const { header, cipher } = await begin(passphrase)
  to.write(header)
  await pipeline(contentsOf(dump, about, onProgress), createZstdCompress(COMPRESSION), new ChunkWriter(cipher), to, {
    signal,
  })
}

async function begin(passphrase: string | undefined) {
  const plain: Header = { format: FORMAT, version: FORMAT_VERSION, compression: 'zstd' }
  if (passphrase === undefined) {
    const header = lineOf(plain)
    return { header, cipher: checksums(header) }
  }
  const salt = someBytes(SALT_BYTES)
  const { chunks, check } = await keysFrom(passphrase, salt)
  const encrypted: Header = {
    ...plain,
    encryption: { cipher: 'aes-256-gcm', key: 'argon2id', salt: salt.toString('hex'), check },
  }
  const header = lineOf(encrypted)
  return { header, cipher: encryption(header, chunks) }
}

async function* contentsOf(dump: Dump, about: About, onProgress: OnProgress | undefined): AsyncGenerator<Buffer> {
  yield lineOf(about)
  let done = 0
  for (const table of dump.tables) {
    yield lineOf(table satisfies TableStart)
    const counter = createRowCounter()
    for await (const block of dump.rowsOf(table)) {
      done += counter.add(block)
      onProgress?.({ rows: done, of: about.rows })
      yield block
    }
    yield Buffer.from(`${END_OF_ROWS}\n`)
    yield lineOf(counter.end())
  }
  dump.requireSame()
  yield lineOf({ tables: dump.tables.length, rows: done })
}

export function createRowCounter() {
  const sum = createHash('sha256')
  let rows = 0
  return {
    add(lines: Buffer): number {
      sum.update(lines)
      let found = 0
      for (let at = lines.indexOf(LINE_BREAK); at !== -1; at = lines.indexOf(LINE_BREAK, at + 1)) found++
      rows += found
      return found
    },
    end: (): TableEnd => ({ rows, sha256: sum.digest('hex') }),
  }
}

const lineOf = (document: object) => Buffer.from(`${JSON.stringify(document)}\n`)
