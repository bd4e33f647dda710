import { Kysely } from 'kysely'
import postgres, { type Sql } from 'postgres'
import type { Ctx } from '../../../server/caller/ctx.ts'
import { readConfig } from '../../../server/config.ts'
import type { Database } from '../../../server/db/database.ts'
import { openDatabase } from '../../../server/db/open.ts'
import { postgresDialect } from '../../../server/db/postgres/dialect.ts'
import { type AnyLookup, lookupParameters, lookupText } from '../../../server/db/postgres/lookup-query.ts'
import type { Tables } from '../../../server/db/tables.ts'

import { FLEET_NOW, fillBigFleet } from '../world/big-fleet.ts'
import { newStorage } from '../world/storage.ts'

/** How PostgreSQL went about a query. */
export interface Plan {
  /** A line each, from the outermost in. */
  steps: string[]
  /** From tables, to be given or to be thrown away. */
  rowsRead: number
}

/** With the values at hand, as when a statement is new; and for any values, as when it has been used a few times. */
export type Plans = Record<'custom' | 'generic', Plan>

export type PostgresPlans = Awaited<ReturnType<typeof openPostgresPlans>>

/** A PostgreSQL database with so many rows that it plans as it does in production. */
export async function openPostgresPlans() {
  const storage = await newStorage()
  const database = await openDatabase(readConfig(storage.env), { now: () => FLEET_NOW })
  const sql = postgres(storage.env['DATABASE_URL'] ?? '', { max: 1, onnotice: () => {} })
  await fillBigFleet(sql)
  let asked: Query[] = []

  const db = new Kysely<Tables>({
    dialect: postgresDialect(async ({ sql: text, parameters }) => {
      asked.push({ text, parameters })
      const rows = await sql.unsafe(text, parameters as never[]) // Kysely's are text and numbers
      return { rows, count: rows.count }
    }),
  })
  const watched: Database = {
    ...database,
    heavyRead: () => db,
    lookUp(lookup, values) {
      const any = lookup as unknown as AnyLookup // what is in its rows does not matter here
      asked.push({ text: lookupText(any, database.read), parameters: lookupParameters(any, [values]) })
      return database.lookUp(lookup, values)
    },
  }

  return {
    database: watched,
    ctxOf: (organizationId: string): Ctx => ({
      caller: { kind: 'SYSTEM', organizationId, role: 'ADMIN' },
      reads: db,
      database: watched,
      now: () => FLEET_NOW,
    }),
    /** The plans of all queries of the work, one after the other. */
    async of(work: () => Promise<unknown>): Promise<Plans> {
      asked = []
      await work()
      if (asked.length === 0) throw new Error('A query is expected.')
      return { custom: await planOfAll(sql, asked, 'custom'), generic: await planOfAll(sql, asked, 'generic') }
    },
    async close() {
      await sql.end()
      await database.close()
      await storage.remove()
    },
  }
}

interface Query {
  text: string
  parameters: readonly unknown[]
}

/** What `explain` tells of a step; numbers are for each time that it was run. */
interface Step {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Step[]
}

async function planOfAll(sql: Sql, queries: Query[], kind: keyof Plans): Promise<Plan> {
  const whole: Plan = { steps: [], rowsRead: 0 }
  for (const query of queries) {
    const { steps, rowsRead } = await planOf(sql, query, kind)
    whole.steps.push(...steps)
    whole.rowsRead += rowsRead
  }
  return whole
}

async function planOf(sql: Sql, { text, parameters }: Query, kind: keyof Plans): Promise<Plan> {
  await sql.unsafe(`set plan_cache_mode = force_${kind}_plan; prepare "asked" as ${text}`)
  const [row] = await sql.unsafe(`explain (analyze, format json) execute "asked" (${parameters.map(literal)})`)
  await sql.unsafe('deallocate "asked"')
  const steps = stepsFrom(row?.['QUERY PLAN'][0].Plan)
  return { steps: steps.map(wordsOf), rowsRead: steps.map(rowsReadBy).reduce((sum, rows) => sum + rows, 0) }
}

const stepsFrom = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsFrom)]

const wordsOf = ({ 'Node Type': type, 'Relation Name': table, 'Index Name': index }: Step) =>
  [type, ...(table ? [`on ${table}`] : []), ...(index ? [`by ${index}`] : [])].join(' ')

function rowsReadBy(step: Step): number {
  if (!step['Relation Name']) return 0
  const thrownAway = (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0)
  return (step['Actual Rows'] + thrownAway) * step['Actual Loops']
}

function literal(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'::bytea`
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  const { values } = value as { values: unknown[] } // the list of all who ask for a lookup
  return `array[${values.map(literal)}]`
}
