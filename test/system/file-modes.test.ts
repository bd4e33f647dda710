import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { PORTAL_FILES } from '../../server/db/sqlite/database.ts'
import { openToOthers, tightenFiles } from '../../server/lib/private-files.ts'

/** A folder that everybody may look into, as an operator may have made it. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

const MODULES = ['db/open.ts', 'db/migrate.ts', 'mail/secret-file.ts'].map((file) =>
  import.meta.resolve(`../../server/${file}`),
)

/** While the database is open: the files beside it come and go with its connections. */
const SCRIPT = `
  const { readdirSync, statSync } = require('node:fs')
  const modesOf = async (dataDir) => {
    const [{ openDatabase }, { migrate }, { readSecretFile }] = await Promise.all(
      ${JSON.stringify(MODULES)}.map((module) => import(module)),
    )
    const database = await openDatabase({ dataDir })
    await migrate(database)
    readSecretFile(dataDir)
    const modes = readdirSync(dataDir).map((name) => [name, (statSync(dataDir + '/' + name).mode & 0o777).toString(8)])
    await database.close()
    return Object.fromEntries(modes)
  }
  Promise.all(process.argv.slice(1).map(modesOf)).then((modes) => console.log(JSON.stringify(modes)))
`

/** What a process with this umask makes; only a process of its own has one. */
async function modesWith(umask: string, ...folders: string[]): Promise<unknown> {
  const command = `umask ${umask}; exec "$0" -e "$@"`
  const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, SCRIPT, ...folders])
  return JSON.parse(stdout)
}

const NAMES = ['portal.db', 'portal.db-wal', 'portal.db-shm', 'portal.db.reserve', 'portal.lock', 'portal.secret']
const PRIVATE = Object.fromEntries(NAMES.map((name) => [name, '600']))

it.each(['000', '022', '077'])(
  'files are readable by their owner only, whatever the folder and the umask: %s',
  async (umask) => {
    const folder = openFolder()
    const made = join(folder, 'a', 'b')
    expect(await modesWith(umask, made, folder)).toEqual([PRIVATE, { ...PRIVATE, a: '700' }])
    expect(modeOf(made)).toBe('700')
    expect(modeOf(folder)).toBe('755') // it is the operator's
  },
)

it('files that an older version left readable are tightened at the start, and no others', async () => {
  const folder = openFolder()
  for (const name of ['portal.db', 'portal.secret', 'notes.txt']) {
    writeFileSync(join(folder, name), name === 'portal.db' ? '' : 'x'.repeat(64))
    chmodSync(join(folder, name), 0o664)
  }
  expect(openToOthers(folder, PORTAL_FILES)).toEqual([join(folder, 'portal.db'), join(folder, 'portal.secret')])
  expect(await modesWith('022', folder)).toEqual([{ ...PRIVATE, 'notes.txt': '664' }])
  expect(openToOthers(folder, PORTAL_FILES)).toEqual([])
})

it('the target of a link, and a folder with the name of a file, stay unchanged', () => {
  const folder = openFolder()
  const elsewhere = join(openFolder(), 'notes.txt')
  writeFileSync(elsewhere, 'x')
  chmodSync(elsewhere, 0o644)
  symlinkSync(elsewhere, join(folder, 'portal.db'))
  mkdirSync(join(folder, 'portal.secret'), { mode: 0o755 })
  tightenFiles(folder, PORTAL_FILES)
  expect([modeOf(elsewhere), modeOf(join(folder, 'portal.secret'))]).toEqual(['644', '755'])
  expect(openToOthers(folder, PORTAL_FILES)).toEqual([])
})
