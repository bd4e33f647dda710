import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from 'kysely'
import type { Db } from './tables.ts'

/** Stands in for a value while a query is being built. */
class Hole {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const holes = new Proxy({}, { get: (_target, name) => new Hole(String(name)) })

type Run = (sql: string, parameters: unknown[]) => QueryResult<unknown> | Promise<QueryResult<unknown>>

const straight = new WeakMap<DialectAdapter, Run>()

/** For a connection that everyone may use at any time: what is prepared goes to it past Kysely, which has nothing left to do. */
export const runStraight = (adapter: DialectAdapter, run: Run) => void straight.set(adapter, run)

/**
 * A query that is built and compiled once, then only given its values. Building costs several times what the database
 * needs to answer, so the ways that every request takes are prepared.
 */
export function prepared<Values extends Record<string, unknown>, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const plans = new WeakMap<DialectAdapter, CompiledQuery<Row>>()
  return async (db, values) => {
    const { adapter } = db.getExecutor()
    let plan = plans.get(adapter)
    if (!plan) {
      plan = build(db, holes as Values).compile() // a hole is only ever carried into the query's parameters
      plans.set(adapter, plan)
    }
    const parameters: unknown[] = []
    for (const slot of plan.parameters) parameters.push(slot instanceof Hole ? values[slot.name] : slot)
    const run = straight.get(adapter)
    const { rows } = await (run ? run(plan.sql, parameters) : db.executeQuery<Row>({ ...plan, parameters }))
    return rows as Row[] // of the query that was built
  }
}
