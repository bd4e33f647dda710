import { describe, expect, it as plain } from 'vitest'
import { CREATE, ENDED, makeDatabase, REFUSED, startGrown, VIEWER } from '../../support/process/grown-portal.ts'
import { codesOf } from '../../support/world/people.ts'
import { WAYS_TO_REPLACE } from '../../support/world/replaced-files.ts'

const it = plain.extend('made', { scope: 'file' }, () => makeDatabase())

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
  it.for(Object.keys(WAYS_TO_REPLACE))('%s', async (way, { made }) => {
    const { ask, replace, revoke, send, ended, stderr } = await startGrown(made)
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
