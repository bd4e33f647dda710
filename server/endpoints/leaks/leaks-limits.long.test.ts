import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { inOwnWorld } from '../../../test/support/world/fixtures.ts'
import { listOf, newSender, report, reportOf } from '../../../test/support/world/leak-sender.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const github = newSender('github')
const stranger = newSender('github')

const it = inOwnWorld(() => startWorld({ env: { RATE_LIMIT: '100' } }))

it('without LEAK_KEYS nobody can report, and the answer says why', async ({ world, acme }) => {
  const { secret } = await acme.generateKey()
  const answer = await report(world.url, github, reportOf(secret))
  expect(answer).toMatchObject({ status: 401, body: { errors: [{ message: expect.stringContaining('LEAK_KEYS') }] } })
  expect(answer.headers.get('www-authenticate')).toBe('Signature realm="leaks"')
  expect(await world.accepts(secret)).toBe(true)
})

it('refused reports are limited by source, and a verified one from there is accepted all the same', async ({
  world,
  acme,
}) => {
  const list = join(world.storage.env['DATA_DIR'] ?? join(world.storage.env['LEDGER'] ?? '', '..'), 'senders.json')
  writeFileSync(list, listOf(github))
  const beside = await startWorld({ beside: world, env: { RATE_LIMIT: '100', LEAK_KEYS: list } })
  const { secret } = await acme.generateKey()
  const statuses = []
  for (let i = 0; i < 31; i++) statuses.push((await report(beside.url, stranger, reportOf(secret))).status)
  expect(statuses).toEqual([...Array(30).fill(401), 429])
  const limited = await report(beside.url, stranger, reportOf(secret))
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await report(beside.url, github, reportOf(secret))).status).toBe(200)
  await beside.close()
})
