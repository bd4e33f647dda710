import type { Compilable, CompiledQuery, DialectAdapter } from 'kysely'
import type { Db } from './tables.ts'

/** Stands in for a value while a query is being built. */
class Hole {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const holes = new Proxy({}, { get: (_target, name) => new Hole(String(name)) })

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
    const parameters = plan.parameters.map((slot) => (slot instanceof Hole ? values[slot.name] : slot))
    const { rows } = await db.executeQuery<Row>({ ...plan, parameters })
    return rows
  }
}
