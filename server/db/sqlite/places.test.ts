import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { fc } from '../../../test/support/fast-check.ts'
import { keyRow } from '../../../test/support/inserted-keys.ts'
import { temporaryFolder } from '../../../test/support/portal-process.ts'
import { lookup } from '../lookup.ts'
import { migrate } from '../migrate.ts'
import { FILE, openSqlite } from './database.ts'

const labelOf = lookup(
  { secretHash: 'bytes' },
  (db, { secretHash }) => db.selectFrom('apiKey').select('label').where('secretHash', '=', secretHash),
  { remembers: { table: 'apiKey', by: 'secretHash' } },
)

/** The first three share a place, since they begin alike, and the first two all that is remembered of a hash. */
const HASHES = [0, 1, 2, 3, 4].map((n) => Buffer.alloc(32, n + 1).fill(9, 0, [6, 6, 2][n] ?? 0))
const given = { organizationId: 'o', createdAt: 0, expiresAt: null }

/** A database, and another program that changes its keys. */
async function openBoth() {
  const folder = temporaryFolder()
  const database = openSqlite(folder)
  await migrate(database)
  const other = new DatabaseSync(join(folder, FILE), { enableForeignKeyConstraints: false, timeout: 5000 })
  onTestFinished(async () => {
    other.close()
    await database.close()
  })
  other.exec('pragma synchronous = off')
  const run = (sql: string, ...values: SQLInputValue[]) => void other.prepare(sql).run(...values)
  return {
    database,
    async label(n: number) {
      return (await database.lookUp(labelOf, { secretHash: HASHES[n] ?? Buffer.alloc(32) })).row?.label
    },
    insert(n: number) {
      const row = { ...keyRow({ ...given, label: `key ${n}` }), secretHash: HASHES[n] ?? null }
      const columns = Object.keys(row)
      run(
        `insert into "apiKey" (${columns.map((name) => `"${name}"`)}) values (${columns.map(() => '?')})`,
        ...(Object.values(row) as SQLInputValue[]), // columns are only text, numbers, bytes and null
      )
    },
    delete: (n: number) => run('delete from "apiKey" where "label" = ?', `key ${n}`),
    /** As `vacuum` may; not to where another one is. */
    move: (n: number, to: number) => run('update or ignore "apiKey" set rowid = ? where "label" = ?', to, `key ${n}`),
    placeOf: (n: number) =>
      Number(other.prepare('select rowid as "at" from "apiKey" where "label" = ?').get(`key ${n}`)?.['at']),
    plainLabel: (n: number) =>
      other.prepare('select "label" from "apiKey" where "secretHash" = ?').get(HASHES[n] ?? null)?.['label'],
    clear: () => run('delete from "apiKey"'),
  }
}

it('a key is looked up at its place, and by the index when it is not there any more', async () => {
  const { database, label, insert, move, ...both } = await openBoth()
  const queries = async (n: number) => {
    const before = database.lookups.queries
    const found = await label(n)
    return { found, queries: database.lookups.queries - before }
  }
  insert(3)
  expect(await queries(3)).toEqual({ found: 'key 3', queries: 1 })
  expect(await queries(3)).toEqual({ found: 'key 3', queries: 1 })
  move(3, 77)
  expect(await queries(3)).toEqual({ found: 'key 3', queries: 2 })
  expect(await queries(3)).toEqual({ found: 'key 3', queries: 1 })
  both.delete(3)
  expect(await queries(3)).toEqual({ found: undefined, queries: 2 })
  expect(await queries(3)).toEqual({ found: undefined, queries: 1 })
})

it('another key at its place is never taken for it', async () => {
  const { label, insert, move, placeOf, ...both } = await openBoth()
  insert(3)
  insert(4)
  expect([await label(3), await label(4)]).toEqual(['key 3', 'key 4'])
  const [third, fourth] = [placeOf(3), placeOf(4)]
  move(3, 99)
  move(4, third)
  move(3, fourth)
  expect([await label(3), await label(4)]).toEqual(['key 3', 'key 4'])
  both.delete(3)
  move(4, fourth)
  expect([await label(3), await label(4)]).toEqual([undefined, 'key 4'])
})

it('finds what a plain query finds, whatever another program does between', async () => {
  const { label, plainLabel, insert, move, clear, ...both } = await openBoth()
  const key = fc.nat({ max: HASHES.length - 1 })
  const change = fc.record({
    what: fc.constantFrom('insert' as const, 'delete' as const, 'move' as const, 'nothing' as const),
    key,
    to: fc.integer({ min: 1, max: 8 }),
    asked: key,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 60 }), async (changes) => {
      clear()
      for (const { what, key, to, asked } of changes) {
        if (what === 'insert' && plainLabel(key) === undefined) insert(key)
        if (what === 'delete') both.delete(key)
        if (what === 'move') move(key, to)
        expect(await label(asked)).toBe(plainLabel(asked))
      }
    }),
    { numRuns: 30 },
  )
})
