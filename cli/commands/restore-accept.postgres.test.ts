import { DatabaseSync } from 'node:sqlite'
import { expect, it as plain } from 'vitest'
import { runInProcess } from '../../test/support/world/command-line.ts'
import { answerTo } from '../../test/support/world/held-portal.ts'
import { newMigratedStorage, type Storage } from '../../test/support/world/storage.ts'
import { startWorld } from '../../test/support/world/world.ts'

const ACCEPT = ['restore', 'accept', '--keep-all']
const REPLACED = 'This server of PostgreSQL has been replaced: it is on timeline 1, and the ledger knows timeline 2.'

const it = plain
  .extend('storage', () => newMigratedStorage())
  .extend('key', async ({ storage }, { onCleanup }) => {
    onCleanup(storage.remove)
    const world = await startOn(storage)
    const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
    const key = await acme.generateKey()
    await world.close()
    return key
  })

it('C11: a primary that was replaced is used again only once the operator has said so', async ({ storage, key }) => {
  failOver(storage, { revocations: 0 })
  await expect(startOn(storage)).rejects.toThrow(REPLACED)
  const run = (args: string[], stdin = '') => runInProcess(args, { env: storage.env, stdin })

  const asked = await run(ACCEPT, 'no\n')
  expect(asked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(REPLACED) })
  await expect(startOn(storage), 'nothing has changed').rejects.toThrow(REPLACED)

  const { code, stdout } = await run([...ACCEPT, '--yes'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('No API key is held') })
  const world = await startOn(storage)
  expect(await answerTo(world, key)).toBe('200')
  await world.close()
})

it('C11: keys of a primary that was replaced are decided about, if revocations on the new one are missing', async ({
  storage,
  key,
}) => {
  failOver(storage, { revocations: 2 })
  const { code, stdout } = await runInProcess([...ACCEPT, '--yes', '--json'], { env: storage.env })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ heldSince: expect.stringMatching(/Z$/), accepted: 1, revoked: [] })
  const world = await startOn(storage)
  expect(await answerTo(world, key)).toBe('200')
  await world.close()
})

const startOn = (storage: Storage) => startWorld({ beside: { storage }, now: Date.now })

/** What the ledger has after a failover to a standby, of whose revocations it has only the last one. */
function failOver({ env }: Storage, { revocations }: { revocations: number }): void {
  const ledger = new DatabaseSync(env['LEDGER'] ?? '')
  const last = `select * from "revocation" where "kind" = 'INCARNATION' order by "sequence" desc limit 1`
  const { subject, sequence } = ledger.prepare(last).get() ?? {}
  const system = String(subject).split('/')[0]
  const insert = ledger.prepare('insert into "revocation" values (?, 7, ?, ?, ?, 0)')
  insert.run(Number(sequence) + 1, 'INCARNATION', '', `${system}/00000002`)
  if (revocations > 0) insert.run(Number(sequence) + 1 + revocations, 'KEY', '', 'ff')
  ledger.close()
}
