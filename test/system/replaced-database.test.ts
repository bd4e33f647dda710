import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/http.ts'
import { codesOf, fieldOf } from '../support/people.ts'
import { cleanUpAfterFile, runPortal, startDemo, startPortal, temporaryFolder } from '../support/portal-process.ts'
import { WAYS_TO_REPLACE } from '../support/replaced-files.ts'

const VIEWER = '{ viewer { apiKey { id } } }'
const CREATE = 'mutation { createDevice(input: { name: "late" }) { id } }'
const ENDED = /The database \S+portal\.db was replaced, removed or truncated while the portal was running on it: start/
const REFUSED =
  /^The database \S+portal\.db was replaced while a portal is running on the previous one: stop that one, .+\.\n$/

/** A call to a portal that has ended: as good as a refusal. */
const GONE: Answer = {
  status: 503,
  data: null,
  errors: [{ message: 'gone', code: 'UNAVAILABLE', extensions: {} }],
  headers: new Headers(),
}

const cleanUp = cleanUpAfterFile()
const made = { folder: temporaryFolder(cleanUp), secret: '', id: '' }

beforeAll(async () => {
  const portal = await startDemo(made.folder, {}, { cleanUp })
  made.secret = portal.secret
  made.id = fieldOf<{ apiKey: { id: string } }>(await portal.asKey(portal.secret)(VIEWER)).apiKey.id
  await portal.stop()
})

/** A portal that runs on a database that has outgrown its backup, with its one key. */
async function startGrown() {
  const parent = temporaryFolder()
  const [folder, backup] = [join(parent, 'data'), join(parent, 'backup.db')]
  cpSync(made.folder, folder, { recursive: true })
  copyFileSync(join(folder, 'portal.db'), backup)
  grow(join(folder, 'portal.db'))
  const portal = await startPortal(folder)
  const ask = portal.asKey(made.secret)
  return {
    ...portal,
    ask: (query: string) => ask(query).catch(() => GONE),
    replace: (way: string) => WAYS_TO_REPLACE[way]?.(folder, backup),
    revoke: () => runPortal(['key', 'revoke', made.id, '--yes'], { env: { DATA_DIR: folder } }),
  }
}

function grow(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('create table "grown" ("content" blob); insert into "grown" values (zeroblob(100000))')
  database.close()
}

/** While the event loop cannot look at the files, only the lock file tells that the portal still has the previous ones. */
const KNOWN_BY_LOCK = [
  'a backup is moved over it',
  'all its files are removed, and a backup is copied',
  'a backup is copied into it, without the files beside it',
  'it is removed',
  'a folder takes its place',
  'a link to a backup takes its place',
  'its write-ahead log is removed',
  'the index of its write-ahead log is removed',
]

describe('C11: nothing is answered once its files are replaced, no revoke and no call, and the portal ends', () => {
  it.each(Object.keys(WAYS_TO_REPLACE))('%s', async (way) => {
    const { ask, replace, revoke, send, ended, stderr } = await startGrown()
    expect((await ask(VIEWER)).status).toBe(200)
    send('SIGSTOP')
    replace(way)
    const refused = KNOWN_BY_LOCK.includes(way) ? await revoke() : undefined
    send('SIGCONT')
    if (refused) expect(refused).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(REFUSED) })
    expect(codesOf(await ask(CREATE))).toEqual(['UNAVAILABLE'])
    expect((await ask(VIEWER)).status).toBe(503)
    expect(await ended).toEqual({ code: 1, signal: null })
    expect(stderr()).toMatch(ENDED)
  })
})

it('C11: a write right after it is not answered', async () => {
  const { ask, replace } = await startGrown()
  replace('a backup is moved over it')
  expect(codesOf(await ask(CREATE))).toEqual(['UNAVAILABLE'])
})

it('C11: an idle portal notices it, and ends', async () => {
  const { replace, ended, stderr } = await startGrown()
  replace('a backup is moved over it')
  expect(await ended).toEqual({ code: 1, signal: null })
  expect(stderr()).toMatch(ENDED)
})

it('C11: once the portal has ended, the command revokes, and the next start refuses the key', async () => {
  const { dataDir, replace, revoke, ended } = await startGrown()
  replace('all its files are removed, and a backup is copied')
  await ended
  expect(await revoke()).toMatchObject({ code: 0, stdout: expect.stringContaining(made.id) })
  const again = await startPortal(dataDir)
  expect((await again.asKey(made.secret)(VIEWER)).status).toBe(401)
})

it('C11: the write-ahead log of what a backup was copied into is not applied to the backup', async () => {
  const { dataDir, ask, replace, revoke, ended } = await startGrown()
  fieldOf(await ask(CREATE)) // is in the log
  replace('a backup is copied into it')
  await ended
  const stderr = expect.stringMatching(/ was replaced but not the files beside it: remove portal\.db-wal and /)
  expect(await revoke()).toEqual({ code: 1, stdout: '', stderr })
  for (const name of ['portal.db-wal', 'portal.db-shm']) rmSync(join(dataDir, name))
  expect(await revoke()).toMatchObject({ code: 0 })
})

it('C11: a second portal does not start on other files than the first', async () => {
  const { dataDir, replace, send, ended } = await startGrown()
  send('SIGSTOP')
  replace('all its files are removed, and a backup is copied')
  const second = await runPortal(['serve'], { env: { DATA_DIR: dataDir } })
  send('SIGCONT')
  expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(REFUSED) })
  await ended
})

it('C11: a portal that was killed keeps nobody from its files', async () => {
  const { replace, revoke, stop } = await startGrown()
  await stop('SIGKILL')
  replace('all its files are removed, and a backup is copied')
  expect(await revoke()).toMatchObject({ code: 0 })
})
