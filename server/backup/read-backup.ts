import type { Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { OperatorError } from '../lib/app-error.ts'
import { checksums, encryption, isSameCheck, keysFrom } from './chunk-cipher.ts'
import { openChunks } from './chunks.ts'
import { ContentReader } from './contents.ts'
import {
  type About,
  damagedBackup,
  END_OF_ROWS,
  FORMAT,
  FORMAT_VERSION,
  type Header,
  MAX_HEADER_BYTES,
  notABackup,
  type TableEnd,
  type TableStart,
} from './format.ts'
import { createRowCounter, type Watch } from './write-backup.ts'

/** A backup that is being read, once, from the first byte to the last. */
export interface OpenBackup {
  about: About
  isEncrypted: boolean
  /** Each table with its rows, which have to be read before the next one; throws unless all is as it was written. */
  tables(watch?: Watch): AsyncGenerator<BackupTable>
  close(): Promise<void>
}

export interface BackupTable extends TableStart {
  /** Whole lines of COPY text. */
  lines: AsyncIterable<Buffer>
  end(): TableEnd
}

/** Opens a backup; the passphrase is asked for if it is encrypted. */
export async function openBackup(path: string, askPassphrase: () => Promise<string>): Promise<OpenBackup> {
  const file = await openFile(path)
  try {
    const { header, bytes } = await readHeader(file, path)
    const cipher = header.encryption
      ? encryption(bytes, await keyOf(header.encryption, path, askPassphrase))
      : checksums(bytes)
    const decompress = createZstdDecompress()
    const chunks = Readable.from(openChunks({ file, path, position: bytes.length, cipher }), { objectMode: false })
    pipeline(chunks, decompress).catch(() => {}) // whoever reads from it gets the error
    const contents = new ContentReader(decompress, path)
    const about = (await contents.document()) as About // as it was written: its tag is right
    return {
      about,
      isEncrypted: header.encryption !== undefined,
      tables: ({ onProgress, signal } = {}) =>
        tablesIn(contents, path, (rows) => {
          signal?.throwIfAborted()
          onProgress?.({ rows, of: about.rows })
        }),
      close: async () => {
        decompress.destroy()
        await file.close()
      },
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path).catch((error) => {
    throw error.code === 'ENOENT'
      ? new OperatorError(`There is no file ${path}.`)
      : new OperatorError(`The file ${path} cannot be read (${error.code}): check the path and its owner.`, error)
  })
  const stat = await file.stat()
  if (stat.isFile() && stat.size > 0) return file
  await file.close()
  throw new OperatorError(
    stat.isFile()
      ? `The file ${path} is empty: it is no backup.`
      : `${path} is ${kindOf(stat)}: name the file of a backup.`,
  )
}

const kindOf = (stat: Stats) => (stat.isDirectory() ? 'a folder' : 'no file, which a restore reads more than once')

async function readHeader(file: FileHandle, path: string): Promise<{ header: Header; bytes: Buffer }> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0)
  const bytes = buffer.subarray(0, buffer.subarray(0, bytesRead).indexOf('\n') + 1)
  const header = parse(bytes)
  if (header?.format !== FORMAT || typeof header.version !== 'number') throw notABackup(path)
  if (header.version > FORMAT_VERSION)
    throw new OperatorError(
      `The backup ${path} was made by a newer version of the portal (format ${header.version}, this one knows ${FORMAT_VERSION}): use that version.`,
    )
  if (header.compression !== 'zstd') throw notABackup(path)
  return { header: header as Header, bytes }
}

function parse(bytes: Buffer): Partial<Header> | undefined {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

async function keyOf(
  { salt, check }: NonNullable<Header['encryption']>,
  path: string,
  askPassphrase: () => Promise<string>,
): Promise<Buffer> {
  const keys = await keysFrom(await askPassphrase(), Buffer.from(salt, 'hex'))
  if (isSameCheck(keys.check, check)) return keys.chunks
  throw new OperatorError(`The passphrase is not the one of the backup ${path}.`)
}

async function* tablesIn(
  contents: ContentReader,
  path: string,
  onRows: (rows: number) => void,
): AsyncGenerator<BackupTable> {
  let rows = 0
  for (let count = 0; ; count++) {
    const start = (await contents.document()) as TableStart | { tables: number; rows: number } // as it was written
    if (!('columns' in start)) {
      if (start.tables !== count || start.rows !== rows) throw damagedBackup(path)
      await contents.requireEnd()
      return
    }
    const counter = createRowCounter()
    let end: TableEnd | undefined
    const lines = async function* () {
      for await (const block of contents.linesUntil(END_OF_ROWS)) {
        rows += counter.add(block)
        yield block
        onRows(rows)
      }
      end = counter.end()
      const written = (await contents.document()) as TableEnd // as it was written
      if (end.rows !== written.rows || end.sha256 !== written.sha256) throw damagedBackup(path)
    }
    yield {
      ...start,
      lines: lines(),
      end() {
        if (!end) throw new Error(`The rows of ${start.name} have not been read.`)
        return end
      },
    }
  }
}
