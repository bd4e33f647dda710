import { expect, it as plain } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { newMigratedStorage } from '../../test/support/world/storage.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/open.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'
import { compare, GapFinder } from './comparison.ts'
import { currentHold, holdSubject, wasDecided } from './held.ts'
import { IN_MEMORY, LedgerFile } from './ledger-file.ts'

const MOST = 9
const KNOWN = 1
const RUNS = 200

const it = plain
  .extend('storage', () => newMigratedStorage())
  .extend('database', async ({ storage }, { onCleanup }) => {
    const database = await openDatabase(readConfig(storage.env))
    onCleanup(async () => {
      await database.close()
      await storage.remove()
    })
    return database
  })

const anyRow = fc.record<RevocationTable>({
  sequence: fc.integer({ min: 1, max: MOST }),
  incarnation: fc.constantFrom(KNOWN, KNOWN + 1),
  kind: fc.constant('KEY'),
  organizationId: fc.constant('acme'),
  subject: fc.constantFrom('one', 'other'),
  endsAt: fc.constant(0),
})
const anyRows = fc.uniqueArray(anyRow, { selector: wordsOf, maxLength: 30, size: 'max' })

function wordsOf({ sequence, incarnation, subject }: RevocationTable): string {
  return [sequence, incarnation, subject].join(' ')
}

function onlyIn(rows: RevocationTable[], others: RevocationTable[]): string[] {
  const known = new Set(others.map(wordsOf))
  return rows
    .map(wordsOf)
    .filter((words) => !known.has(words))
    .sort()
}

it('C11: compared in pages, each side lacks what only the other has, and the gap is what neither has', async ({
  database,
}) => {
  const state = { installation: 'here', incarnation: KNOWN + 1, sequence: 0, server: '', heldSince: null }
  const known = fc.integer({ min: 1, max: MOST })
  await fc.assert(
    fc.asyncProperty(anyRows, anyRows, known, fc.integer({ min: 1, max: 4 }), async (left, right, last, readAtOnce) => {
      const file = new LedgerFile(IN_MEMORY)
      file.add(0, right)
      const compared = await database.transaction(async (db) => {
        await db.deleteFrom('revocation').execute()
        if (left.length > 0) await db.insertInto('revocation').values(left).execute()
        return compare(db, { state, file, known: { incarnation: KNOWN, sequence: last }, readAtOnce })
      })
      file.close()
      expect(compared.missingInDatabase.map(wordsOf).sort()).toEqual(onlyIn(right, left))
      expect(compared.missingInLedger.map(wordsOf).sort()).toEqual(onlyIn(left, right))
      expect(compared.highest).toBe(Math.max(last, ...[...left, ...right].map(({ sequence }) => sequence)))
      const here = new Set([...left, ...right].filter(isKnown).map(({ sequence }) => sequence))
      const missing = Array.from({ length: last }, (_, place) => place + 1).filter((each) => !here.has(each))
      const gap = missing.length === 0 ? undefined : { incarnation: KNOWN, first: missing[0], last: missing.at(-1) }
      expect(compared.gap).toEqual(gap)
    }),
    { numRuns: RUNS },
  )
})

it.for(['database', 'ledger'] as const)(
  'C11: a row that only the %s has is found, although both had agreed on all that is below',
  async (where, { database }) => {
    const row = (sequence: number, subject = 'one'): RevocationTable => {
      return { sequence, incarnation: KNOWN, kind: 'KEY', organizationId: 'acme', subject, endsAt: 0 }
    }
    const [both, extra] = [[row(1), row(2)], row(2, 'other')]
    const [left, right] = where === 'database' ? [[...both, extra], both] : [both, [...both, extra]]
    const file = new LedgerFile(IN_MEMORY)
    file.add(KNOWN, right, { installation: 'here', incarnation: KNOWN, sequence: 2 })
    const state = { installation: 'here', incarnation: KNOWN, sequence: 2, server: '', heldSince: null }
    const compared = await database.transaction(async (db) => {
      await db.deleteFrom('revocation').execute()
      await db.insertInto('revocation').values(left).execute()
      return compare(db, { state, file, known: { incarnation: KNOWN, sequence: 2 } })
    })
    file.close()
    const { base, missingInDatabase, missingInLedger, wentBack } = compared
    expect({ base, missingInDatabase, missingInLedger, wentBack }).toEqual({
      base: 0,
      missingInDatabase: where === 'ledger' ? [extra] : [],
      missingInLedger: where === 'database' ? [extra] : [],
      wentBack: where === 'ledger',
    })
  },
)

it.for([KNOWN, KNOWN + 1])(
  'C11: the sequence of the database says that nothing is missing in its own incarnation alone: %d',
  async (incarnation, { database }) => {
    const file = new LedgerFile(IN_MEMORY)
    const state = { installation: 'here', incarnation, sequence: 3, server: '', heldSince: null }
    const { gap, wentBack } = await database.transaction((db) =>
      compare(db, { state, file, known: { incarnation: KNOWN, sequence: 2 } }),
    )
    file.close()
    const missing = { incarnation: KNOWN, first: 1, last: 2 }
    expect([gap, wentBack]).toEqual(incarnation === KNOWN ? [undefined, false] : [missing, true])
  },
)

it('C11: a hold waits for each revocation of its range, however often another one is there', async ({ database }) => {
  const row = { organizationId: '', endsAt: 1 }
  const key = (sequence: number, subject = 'one', incarnation = KNOWN): RevocationTable => {
    return { ...row, kind: 'KEY', sequence, subject, incarnation }
  }
  const hold: RevocationTable = { ...row, kind: 'HELD', sequence: 9, subject: `${KNOWN} 4 6`, incarnation: KNOWN + 1 }
  const others = [key(4), key(4, 'other'), key(4, 'third'), key(6), key(3), key(7), key(5, 'one', KNOWN + 1)]
  const holds = await database.transaction(async (db) => {
    await db.deleteFrom('revocation').execute()
    await db
      .insertInto('revocation')
      .values([hold, ...others])
      .execute()
    const before = await currentHold(db)
    await db.insertInto('revocation').values(key(5)).execute()
    return [before, await currentHold(db)]
  })
  expect(holds).toEqual([hold, undefined])
})

it.for<[hold: string, gap: [incarnation: number, first: number, last: number], isDecided: boolean]>([
  [`${KNOWN} 4 6`, [KNOWN, 4, 6], true],
  [`${KNOWN} 4 6`, [KNOWN, 5, 5], true],
  [`${KNOWN} 4 6`, [KNOWN, 3, 6], false],
  [`${KNOWN} 4 6`, [KNOWN, 4, 7], false],
  [`${KNOWN} 4 6`, [KNOWN + 1, 4, 6], false],
  [`${KNOWN} 4 6`, [KNOWN, 1, 2], false], // the hold after the decision
  [holdSubject(undefined), [KNOWN, 1, 7], true],
  [holdSubject(undefined), [KNOWN, 1, 8], false],
])(
  'C11: whether a decision about the hold %s was one about these missing revocations: %j',
  async ([hold, [incarnation, first, last], isDecided], { database }) => {
    const row = { organizationId: '', endsAt: 1, incarnation: KNOWN + 1 }
    const rows: RevocationTable[] = [
      { ...row, kind: 'HELD', sequence: 7, subject: hold },
      { ...row, kind: 'RELEASED', sequence: 8, subject: '' },
      { ...row, kind: 'HELD', sequence: 9, subject: `${KNOWN} 1 2` },
    ]
    const answer = await database.transaction(async (db) => {
      await db.deleteFrom('revocation').execute()
      await db.insertInto('revocation').values(rows).execute()
      return wasDecided(db, { incarnation, first, last })
    })
    expect(answer).toBe(isDecided)
  },
)

const isKnown = ({ incarnation }: RevocationTable) => incarnation === KNOWN

plain('what is below the beginning of an incarnation is not missing', () => {
  const row = { kind: 'KEY', incarnation: KNOWN, organizationId: '', subject: '', endsAt: 0 } as const
  const finder = new GapFinder(0, { incarnation: KNOWN, sequence: 8 })
  finder.add([
    { ...row, kind: 'INCARNATION', sequence: 5 },
    { ...row, sequence: 6 },
    { ...row, sequence: 8 },
  ])
  expect(finder.gap).toEqual({ incarnation: KNOWN, first: 7, last: 7 })
})
