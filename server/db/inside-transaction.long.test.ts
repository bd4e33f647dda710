import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { AppError } from '../lib/app-error.ts'
import { isUniqueViolation } from './errors.ts'
import { insideTransaction } from './inside-transaction.ts'
import type { Db } from './tables.ts'

const it = inWorld(startWorld)

const fingerprint = (db: Db, name: string) =>
  db.insertInto('secretFingerprint').values({ fingerprint: name, seenAt: 0 }).execute()

const revocation = (subject: string) => ({ kind: 'KEY', organizationId: 'o', subject, endsAt: 0 }) as const

async function fingerprintsLike({ database }: World, start: string): Promise<string[]> {
  const rows = await database.read.selectFrom('secretFingerprint').select('fingerprint').execute()
  return rows.flatMap(({ fingerprint: name }) => (name.startsWith(start) ? [name] : [])).toSorted()
}

it('a part that fails is rolled back alone, with what it has revoked', async ({ world }) => {
  const { database } = world
  await database.transaction(async (db) => {
    const inside = insideTransaction(database, db)
    await inside.database.transaction((db) => fingerprint(db, 'part-1'))
    const failing = inside.database.transaction(async (db) => {
      await fingerprint(db, 'part-2')
      db.recordRevocations([revocation('undone')])
      await fingerprint(db, 'part-1').catch(() => {
        throw new AppError('CONFLICT')
      })
    })
    await expect(failing).rejects.toThrow(AppError)
    await inside.database.transaction((db) => fingerprint(db, 'part-3'))
    inside.requireSound()
    expect(db.revokes).toBe(false)
  })
  expect(await fingerprintsLike(world, 'part-')).toEqual(['part-1', 'part-3'])
  const revoked = await database.read.selectFrom('revocation').select('subject').execute()
  expect(revoked.map(({ subject }) => subject)).not.toContain('undone')
})

it('a part that ends by an error of its own, or by a name that is taken, leaves the others alone', async ({
  world,
}) => {
  const { database } = world
  await database.transaction(async (db) => {
    const inside = insideTransaction(database, db)
    await inside.database.transaction((db) => fingerprint(db, 'own-1'))
    const taken = inside.database.transaction((db) => fingerprint(db, 'own-1'))
    await expect(taken).rejects.toSatisfy(isUniqueViolation)
    const own = inside.database.transaction(async (db) => {
      await fingerprint(db, 'own-2')
      throw new Error('Enough.')
    })
    await expect(own).rejects.toThrow('Enough.')
    inside.requireSound()
  })
  expect(await fingerprintsLike(world, 'own-')).toEqual(['own-1'])
})

it('parts that begin at once run one after the other', async ({ world: { database } }) => {
  const order: string[] = []
  await database.transaction(async (db) => {
    const inside = insideTransaction(database, db)
    const part = (name: string) =>
      inside.database.transaction(async (db) => {
        order.push(`${name} begins`)
        await fingerprint(db, `at-once-${name}`)
        order.push(`${name} is over`)
      })
    await Promise.all([part('a'), part('b')])
  })
  expect(order).toEqual(['a begins', 'a is over', 'b begins', 'b is over'])
})

it('what concerns the whole transaction is not passed over, and no part begins after it', async ({ world }) => {
  const { database } = world
  const whole = database.transaction(async (db) => {
    const inside = insideTransaction(database, db)
    const part = (work: (db: Db) => Promise<unknown>) => inside.database.transaction(work).catch(() => undefined)
    await part(async () => {
      throw new AppError('UNAVAILABLE', { message: 'The disk is full.' })
    })
    await part((db) => fingerprint(db, 'after-1'))
    inside.requireSound()
  })
  await expect(whole).rejects.toThrow('The disk is full.')
  expect(await fingerprintsLike(world, 'after-')).toEqual([])
})
