import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it as plain } from 'vitest'
import { CREATE, ENDED, makeDatabase, REFUSED, startGrown, VIEWER } from '../../support/process/grown-portal.ts'
import { runPortal, startPortal } from '../../support/process/portal-process.ts'
import { codesOf, fieldOf } from '../../support/world/people.ts'

/* Each way to replace the files is tried in replaced-in-every-way.test.ts. */

const it = plain.extend('made', { scope: 'file' }, () => makeDatabase()).extend('grown', ({ made }) => startGrown(made))

it('C11: a write right after it is not answered', async ({ grown }) => {
  const { ask, replace } = grown
  replace('a backup is moved over it')
  expect(codesOf(await ask(CREATE))).toEqual(['UNAVAILABLE'])
})

it('C11: an idle portal notices it, and ends', async ({ grown }) => {
  const { replace, ended, stderr } = grown
  replace('a backup is moved over it')
  expect(await ended).toEqual({ code: 1, signal: null })
  expect(stderr()).toMatch(ENDED)
})

it('C11: once the portal has ended, the command revokes, and the next start refuses the key', async ({ grown }) => {
  const { dataDir, replace, revoke, ended } = grown
  replace('all its files are removed, and a backup is copied')
  await ended
  expect(await revoke()).toMatchObject({ code: 0, stdout: expect.stringContaining(grown.key.id) })
  const again = await startPortal(dataDir)
  expect((await again.asKey(grown.key.secret)(VIEWER)).status).toBe(401)
})

it('C11: the write-ahead log of what a backup was copied into is not applied to the backup', async ({ grown }) => {
  const { dataDir, ask, replace, revoke, ended } = grown
  fieldOf(await ask(CREATE)) // is in the log
  replace('a backup is copied into it')
  await ended
  const stderr = expect.stringMatching(/ was replaced but not the files beside it: remove portal\.db-wal and /)
  expect(await revoke()).toEqual({ code: 1, stdout: '', stderr })
  for (const name of ['portal.db-wal', 'portal.db-shm']) rmSync(join(dataDir, name))
  expect(await revoke()).toMatchObject({ code: 0 })
})

it('C11: a second portal does not start on other files than the first', async ({ grown }) => {
  const { dataDir, replace, send, ended } = grown
  send('SIGSTOP')
  replace('all its files are removed, and a backup is copied')
  const second = await runPortal(['serve'], { env: { DATA_DIR: dataDir } })
  send('SIGCONT')
  expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(REFUSED) })
  await ended
})

it('C11: a portal that was killed keeps nobody from its files', async ({ grown }) => {
  const { replace, revoke, stop } = grown
  await stop('SIGKILL')
  replace('all its files are removed, and a backup is copied')
  expect(await revoke()).toMatchObject({ code: 0 })
})
