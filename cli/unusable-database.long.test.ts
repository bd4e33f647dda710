import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../test/support/process/portal-process.ts'
import { runInProcess } from '../test/support/world/command-line.ts'

const PAGE = 4096
const isRoot = process.getuid?.() === 0

/** What every command and every start is refused with: one sentence, and nothing else. */
async function refusalIn(dataDir: string): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(['org', 'list'], { env: { DATA_DIR: dataDir } })
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[A-Z].*\.\n$/)
  expect(stderr).not.toMatch(/ {4}at |Error|\.ts\b|node:/)
  return stderr.trimEnd()
}

/** A folder with a database in it that is as good as any. */
async function migratedFolder(): Promise<string> {
  const folder = temporaryFolder()
  expect(await runInProcess(['migrate'], { env: { DATA_DIR: folder } })).toMatchObject({ code: 0 })
  return folder
}

it('says what to do when the folder cannot be written to', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const places = [file, join(file, 'below')]
  if (!isRoot) {
    chmodSync(folder, 0o500)
    onTestFinished(() => chmodSync(folder, 0o700))
    places.push(folder, join(folder, 'below'))
  }
  for (const place of places) {
    const message = await refusalIn(place)
    expect(message).toMatch(
      /^The folder .* cannot be written to \(.+\): set DATA_DIR to one that can, or change its owner\.$/,
    )
    expect(message).toContain(place)
  }
})

const DAMAGES: Record<string, (file: string, size: number, middle: number) => void> = {
  'garbage from the start': (file) => writeFileSync(file, 'garbage '.repeat(10_000)),
  'less than a header': (file) => truncateSync(file, 50),
  'a page and a half': (file) => truncateSync(file, PAGE * 1.5),
  'cut in the middle': (file, _size, middle) => truncateSync(file, middle),
  'a header of zeros': (file) => overwrite(file, 0, Buffer.alloc(100)),
  'a page of zeros in the middle': (file, _size, middle) => overwrite(file, middle, Buffer.alloc(PAGE)),
  'garbage in the middle': (file, _size, middle) => overwrite(file, middle, Buffer.alloc(PAGE, 'garbage ')),
  'garbage at the end': (file, size) => overwrite(file, size - PAGE, Buffer.alloc(PAGE, 'garbage ')),
}

it.each(Object.entries(DAMAGES))('says what to do with %s, and does not change the file', async (_name, damage) => {
  const folder = temporaryFolder()
  const file = join(folder, 'portal.db')
  cpSync(join(await migratedFolder(), 'portal.db'), file)
  const { size } = statSync(file)
  damage(file, size, Math.floor(size / PAGE / 2) * PAGE)
  const before = readFileSync(file)

  expect(await refusalIn(folder)).toBe(
    `The database ${file} is damaged or is not a database: restore it from a backup, without the portal.db-wal and portal.db-shm that are beside it now, or move all of them away to start with an empty one.`,
  )
  expect(readFileSync(file).equals(before)).toBe(true)
})

it('says what to do when the database is newer than the program, and does not change the file', async () => {
  const folder = await migratedFolder()
  const file = join(folder, 'portal.db')
  const database = new DatabaseSync(file)
  database.exec(`insert into "migration" ("version", "name", "appliedAt") values (1000, 'from the future', 0)`)
  database.close()
  const before = readFileSync(file)

  expect(await refusalIn(folder)).toMatch(
    /^The database is newer than this program \(version 1000, this one knows \d+\): start the newer program, or restore a backup made before the upgrade\.$/,
  )
  expect(readFileSync(file).equals(before)).toBe(true)
})

function overwrite(file: string, position: number, bytes: Buffer): void {
  const opened = openSync(file, 'r+')
  writeSync(opened, bytes, 0, bytes.length, position)
  closeSync(opened)
}
