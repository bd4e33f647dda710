import { closeSync, mkdirSync, openSync, rmdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { metricsOf } from '../../test/support/world/metrics.ts'
import { newRestorableStorage } from '../../test/support/world/restorable-storage.ts'
import { startWorld } from '../../test/support/world/world.ts'

const PAGE_BYTES = 4096

const it = inOwnWorld(async () => {
  const storage = await newRestorableStorage()
  const world = await startWorld({ beside: { storage } })
  const close = async () => {
    await world.close()
    await storage.remove()
  }
  return { ...world, storage, close }
})

it('K9, C11: a revoke counts while the ledger cannot be written, says so, and is copied to it later', async ({
  world,
  acme,
}) => {
  const { ledger } = world.storage
  const { id, secret } = await acme.generateKey()
  for (const each of ['', '-wal', '-shm']) rmSync(ledger + each, { force: true })
  mkdirSync(ledger) // nothing can be written there
  const { data } = await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', { id })
  expect(data).toEqual({ revokeApiKey: { durable: false } })
  expect(await world.accepts(secret)).toBe(false)
  const broken = await metricsOf(world)
  expect(broken['portal_ledger_behind']).toBeGreaterThanOrEqual(1)
  expect(broken['portal_ledger_failures_total']).toBeGreaterThanOrEqual(1)

  rmdirSync(ledger)
  await expect.poll(() => metricsOf(world)).toMatchObject({ portal_ledger_behind: 0 })
  const again = await acme.generateKey()
  const after = await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', { id: again.id })
  expect(after.data).toEqual({ revokeApiKey: { durable: true } })
})

it('C11: the start says what to do with a ledger that has damaged pages', async () => {
  const storage = await newRestorableStorage()
  onTestFinished(storage.remove)
  await (await startWorld({ beside: { storage } })).close()
  const file = openSync(storage.ledger, 'r+')
  writeSync(file, Buffer.alloc(statSync(storage.ledger).size - PAGE_BYTES, 7), 0, undefined, PAGE_BYTES)
  closeSync(file)
  await expect(startWorld({ beside: { storage } })).rejects.toThrow(
    `The ledger ${storage.ledger} is damaged or is not a ledger: move it away, with the files beside it `,
  )
})
