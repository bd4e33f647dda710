import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from 'kysely'
import type { Db } from './tables.ts'

/** A placeholder for a value while a query is built. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const placeholders = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) })

/** Runs one statement with its values, for whom this `db` is. */
export type Run = (values: unknown[], db: Db) => QueryResult<unknown> | Promise<QueryResult<unknown>>

interface PreparedOptions {
  /** It always has one row, or none: reading a list of one costs a fifth more. */
  isOneRow?: boolean
}

type Prepare = (sql: string, options: PreparedOptions) => Run

const direct = new WeakMap<DialectAdapter, Prepare>()

/** For a shared connection without transactions: a prepared query is sent to it directly, without Kysely. */
export const runDirectly = (adapter: DialectAdapter, prepare: Prepare) => void direct.set(adapter, prepare)

/** A query with the statement that runs it directly, if there is one. */
interface Plan<Row> {
  query: CompiledQuery<Row>
  run: Run | undefined
}

/**
 * A query that is built and compiled once, and then only gets its values. Building a query takes several times as long
 * as the database needs to answer, so the queries of every request are prepared.
 */
export function prepared<Values extends Record<string, unknown>, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
  options?: PreparedOptions,
): (db: Db, values: Values) => Promise<Row[]> {
  const planFor = plansOf(build, options)
  return async (db, values) => {
    const { query, run } = planFor(db)
    const parameters = parametersOf(query, values)
    const { rows } = await (run ? run(parameters, db) : db.executeQuery<Row>({ ...query, parameters }))
    return rows as Row[] // of the query that was built
  }
}

/** The same for a write that is deferred: see `deferToCommit`. */
export function preparedWrite<Values extends Record<string, unknown>, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Compilable<Row> {
  const planFor = plansOf(build)
  return (db, values) => {
    const { query } = planFor(db)
    return { compile: () => ({ ...query, parameters: parametersOf(query, values) }) }
  }
}

const parametersOf = (query: CompiledQuery, values: Record<string, unknown>) =>
  query.parameters.map((slot) => (slot instanceof Placeholder ? values[slot.name] : slot))

function plansOf<Values extends Record<string, unknown>, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
  options: PreparedOptions = {},
) {
  const plans = new WeakMap<DialectAdapter, Plan<Row>>()
  return function planFor(db: Db): Plan<Row> {
    const { adapter } = db.getExecutor()
    let plan = plans.get(adapter)
    if (!plan) {
      const query = build(db, placeholders as Values).compile() // a placeholder is only ever passed on to the parameters
      plan = { query, run: direct.get(adapter)?.(query.sql, options) }
      plans.set(adapter, plan)
    }
    return plan
  }
}
