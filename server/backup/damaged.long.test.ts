import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '../../test/support/world/command-line.ts'
import { OperatorError } from '../lib/app-error.ts'
import { FORMAT } from './format.ts'
import { openBackup } from './read-backup.ts'

const PASSPHRASE = 'a passphrase of the tests'
const folder = mkdtempSync(join(tmpdir(), 'portal-'))
const env = { DATA_DIR: join(folder, 'data') }
const changed = join(folder, 'changed')
const files = { plain: join(folder, 'plain'), encrypted: join(folder, 'encrypted') }

beforeAll(async () => {
  await runInProcess(['org', 'create', 'Acme'], { env })
  for (const [file, args] of [
    [files.plain, []],
    [files.encrypted, ['--encrypt']],
  ] as const)
    expect(await runInProcess(['backup', file, ...args], { env, stdin: PASSPHRASE })).toMatchObject({ code: 0 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Reads all of it, as a restore does; the error if it is refused. */
async function refusalOf(content: Buffer): Promise<string | undefined> {
  writeFileSync(changed, content)
  try {
    const backup = await openBackup(changed, async () => PASSPHRASE)
    try {
      for await (const { lines } of backup.tables()) for await (const _ of lines);
    } finally {
      await backup.close()
    }
    return undefined
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
}

/** Each byte where the format is read, and then some of all. */
const HEADER_BYTES = 64
const STEP = 41

describe('a backup that is not as it was written is refused with a sentence', () => {
  it('as it is, it is read', async () => {
    for (const file of Object.values(files)) expect(await refusalOf(readFileSync(file))).toBeUndefined()
  })

  it('a byte of it changed, wherever', async () => {
    const content = readFileSync(files.plain)
    for (let at = 0; at < content.length; at += at < HEADER_BYTES ? 1 : STEP) {
      const other = Buffer.from(content)
      other[at] = (other[at] ?? 0) ^ (1 << (at % 8))
      expect(await refusalOf(other), `byte ${at}`).toMatch(
        /^The (backup|file) .* (is damaged|is not a backup|is incomplete|was made by a newer version)/,
      )
    }
  })

  it('any part of its end missing', async () => {
    const content = readFileSync(files.plain)
    for (let length = 1; length < content.length; length += STEP)
      expect(await refusalOf(content.subarray(0, length)), `${length} bytes`).toMatch(
        /is incomplete: its end is missing|is not a backup/,
      )
  })

  it('something after its end, or a chunk of another backup in it', async () => {
    const content = readFileSync(files.plain)
    expect(await refusalOf(Buffer.concat([content, Buffer.from('x')]))).toMatch(/is damaged/)
    expect(await refusalOf(Buffer.concat([content, content]))).toMatch(/is damaged/)
  })

  it('encrypted: a byte of a chunk or of the header changed, or its end missing', async () => {
    const content = readFileSync(files.encrypted)
    const header = content.indexOf('\n')
    for (const at of [content.indexOf('argon2id'), header + 1, header + 5, header + 200, content.length - 1]) {
      const other = Buffer.from(content)
      other[at] = (other[at] ?? 0) ^ 1
      expect(await refusalOf(other), `byte ${at}`).toMatch(/is damaged|is incomplete/)
    }
    expect(await refusalOf(content.subarray(0, -1))).toMatch(/is incomplete/)
  })
})

describe('portal backup verify refuses in one sentence', () => {
  const refused = async (file: string, stdin = '') => {
    const { code, stdout, stderr } = await runInProcess(['backup', 'verify', file], { env, stdin })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    return stderr
  }
  const fileWith = (content: string) => {
    writeFileSync(changed, content)
    return changed
  }

  it.each([
    ['an empty file', () => fileWith(''), /^The file .* is empty: it is no backup\.\n$/],
    ['a folder', () => folder, /is a folder: name the file of a backup\.\n$/],
    ['no file', () => join(folder, 'none'), /^There is no file .*\.\n$/],
    ['something else', () => fileWith('select 1;\n'), /^The file .* is not a backup of the portal, or is damaged\.\n$/],
    [
      'a newer format',
      () => fileWith(`${JSON.stringify({ format: FORMAT, version: 2 })}\n`),
      /was made by a newer version of the portal \(format 2, this one knows 1\): use that version\.\n$/,
    ],
  ])('%s', async (_name, file, words) => expect(await refused(file())).toMatch(words))

  it('a wrong passphrase', async () =>
    expect(await refused(files.encrypted, 'another passphrase\n')).toMatch(
      /^The passphrase is not the one of the backup/,
    ))
})

describe('portal backup writes nothing', () => {
  const refused = async (args: string[], stdin = '') => {
    const { code, stdout, stderr } = await runInProcess(['backup', ...args], { env, stdin })
    expect({ code: code === 0, stdout }).toEqual({ code: false, stdout: '' })
    return stderr
  }

  it('over a file that exists, into a folder that does not, or without a name', async () => {
    const before = readFileSync(files.plain)
    expect(await refused([files.plain])).toMatch(/exists already: choose another name\.\n$/)
    expect(readFileSync(files.plain)).toEqual(before)
    mkdirSync(join(folder, 'sub'))
    expect(await refused([join(folder, 'sub')])).toMatch(/is a folder: name a file in it\.\n$/)
    expect(await refused([join(folder, 'none', 'x')])).toMatch(/^There is no folder .*: create it first\.\n$/)
    expect(await refused([])).toMatch(/^Name the file to write, or - for stdout/)
  })

  it('with a short passphrase, or none', async () => {
    expect(await refused([join(folder, 'x'), '--encrypt'], 'short\n')).toMatch(/^passphrase: 12 characters or more/)
    expect(await refused([join(folder, 'x'), '--encrypt'])).toMatch(/^passphrase: none was given/)
  })

  it('of a database that does not exist', async () => {
    const none = await runInProcess(['backup', join(folder, 'x')], { env: { DATA_DIR: join(folder, 'nothing') } })
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no database in .*: check DATA_DIR\.\n$/),
    })
  })
})
