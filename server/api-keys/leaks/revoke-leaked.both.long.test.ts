import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { inOwnWorld } from '../../../test/support/world/fixtures.ts'
import { listOf, newSender, type Reported, report, reportOf } from '../../../test/support/world/leak-sender.ts'
import { metricsOf } from '../../../test/support/world/metrics.ts'
import { codesOf, eventsOf, peopleAs } from '../../../test/support/world/people.ts'
import { newRestorableStorage } from '../../../test/support/world/restorable-storage.ts'
import { startWorld, type TestOrganization } from '../../../test/support/world/world.ts'
import { createLog } from '../../lib/log.ts'

const github = newSender('github')

const it = inOwnWorld(async () => {
  const storage = await newRestorableStorage()
  const list = join(storage.ledger, '..', 'senders.json')
  writeFileSync(list, listOf(github))
  const env = { LEAK_KEYS: list }
  const world = await startWorld({ beside: { storage }, env })
  const replica = await startWorld({ beside: { storage }, env })
  const close = async () => {
    await replica.close()
    await world.close()
    rmSync(list)
    await storage.remove()
  }
  return { ...world, storage, replica, close }
})

const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'
const labelsOf = ({ body }: Reported) => (body as { label: string }[]).map(({ label }) => label)
const actionsOf = async (acme: TestOrganization) =>
  eventsOf(await peopleAs(acme.call).audit())
    .map(({ action }) => action)
    .filter((action) => /REVOKED|LEAKED/.test(action))

it('K10: a leaked key is refused by every replica once the report is answered', async ({ world, acme }) => {
  for (let round = 0; round < 5; round++) {
    const { secret } = await acme.generateKey()
    expect(await world.replica.accepts(secret)).toBe(true)
    expect((await report(world.url, github, reportOf(secret))).status).toBe(200)
    expect(await world.replica.accepts(secret)).toBe(false)
  }
})

it('an Admin gets at most ten emails about leaks in an hour, and every key is revoked', async ({ world, acme }) => {
  for (let i = 0; i < 12; i++) {
    const { secret } = await acme.generateKey()
    await report(world.url, github, reportOf(secret))
    expect(await world.accepts(secret)).toBe(false)
  }
  const emails = await world.database.read.selectFrom('email').select('kind').execute()
  expect(emails).toEqual(Array(10).fill({ kind: 'KEY_LEAKED' }))
})

it('K10: reports and a revoke at the same time end a key once', async ({ world, acme }) => {
  for (let round = 0; round < 5; round++) {
    const { id, secret } = await acme.generateKey()
    const [revoked, ...reports] = await Promise.all([
      acme.call(REVOKE, { id }),
      report(world.url, github, reportOf(secret)),
      report(world.replica.url, github, reportOf(secret, secret)),
    ])
    expect(reports.map(({ status }) => status)).toEqual([200, 200])
    expect(reports.flatMap(labelsOf)).toEqual(Array(3).fill('true_positive'))
    expect(['', 'NOT_FOUND']).toContain(codesOf(revoked).join())
    expect(await world.accepts(secret)).toBe(false)
    expect(await actionsOf(acme)).toHaveLength(round + 1)
  }
})

it('C11: a report is answered by 503 until the ledger has it; sent again, nothing happens twice', async ({
  world,
  acme,
}) => {
  const { ledger } = world.storage
  const { secret } = await acme.generateKey()
  for (const each of ['', '-wal', '-shm']) rmSync(ledger + each, { force: true })
  mkdirSync(ledger) // nothing can be written there
  const answer = await report(world.url, github, reportOf(secret))
  expect(answer).toMatchObject({ status: 503, body: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] } })
  expect(answer.headers.get('retry-after')).not.toBeNull()
  expect(await world.replica.accepts(secret)).toBe(false)

  rmdirSync(ledger)
  await expect.poll(() => metricsOf(world)).toMatchObject({ portal_ledger_behind: 0 })
  expect(labelsOf(await report(world.url, github, reportOf(secret)))).toEqual(['true_positive'])
  expect(await actionsOf(acme)).toEqual(['API_KEY_LEAKED'])
})

it('revokes the others when one fails, and all when it is sent again', async ({ world, ada, acme }) => {
  const other = await world.organization('Other', { admin: ada })
  const keys = [await acme.generateKey(), await other.generateKey()]
  const body = reportOf(...keys.map(({ secret }) => secret))
  const { transaction } = world.database
  const failing = vi.spyOn(world.database, 'transaction').mockImplementation((work, options) => {
    if (options?.organizationId === acme.id) return Promise.reject(new Error('It cannot be written.'))
    return transaction(work, options)
  })
  expect((await report(world.url, github, body)).status).toBe(503)
  expect(await Promise.all(keys.map(({ secret }) => world.accepts(secret)))).toEqual([true, false])
  failing.mockRestore()
  expect(labelsOf(await report(world.url, github, body))).toEqual(['true_positive', 'true_positive'])
  expect(await Promise.all(keys.map(({ secret }) => world.accepts(secret)))).toEqual([false, false])
  expect([await actionsOf(acme), await actionsOf(other)]).toEqual([['API_KEY_LEAKED'], ['API_KEY_LEAKED']])
})

it('answers 503 when the database cannot be asked, and revokes nothing', async ({ world, acme }) => {
  const { secret } = await acme.generateKey()
  const failing = vi.spyOn(world.database, 'lookUp').mockRejectedValue(new Error('It does not answer.'))
  expect((await report(world.url, github, reportOf(secret))).status).toBeGreaterThanOrEqual(500)
  failing.mockRestore()
  expect(await world.accepts(secret)).toBe(true)
})

it('never logs a token or a secret', async ({ world, acme }) => {
  const { secret } = await acme.generateKey()
  const lines: string[] = []
  const log = createLog('trace', { write: (line: string) => lines.push(line) })
  await report(world.url, github, reportOf(secret, 'another-token-of-somebody'))
  log.info({ token: secret, url: `https://example.com/${secret}` }, secret)
  expect([...lines, ...world.logged()].join()).not.toMatch(new RegExp(`${secret}|another-token`))
  expect(world.logged().join()).toContain('leaked keys revoked')
})
