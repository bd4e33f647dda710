import {
  type Compilable,
  type CompiledQuery,
  type Dialect,
  type DialectAdapter,
  Kysely,
  type QueryResult,
} from 'kysely'
import type { Db, Tables } from './tables.ts'

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const placeholders = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) })

/** Sends a prepared query to a connection for reads directly: Kysely takes longer than SQLite to answer it. */
type RunPrepared = (sql: string, values: readonly unknown[]) => QueryResult<unknown> | Promise<QueryResult<unknown>>

/** Where reads run that are in no transaction. */
export class Reads extends Kysely<Tables> {
  readonly runPrepared: RunPrepared

  constructor(dialect: Dialect, runPrepared: RunPrepared) {
    super({ dialect })
    this.runPrepared = runPrepared
  }
}

/** Built and compiled once, then it only gets its values: building a query takes several times as long as the database needs to answer. */
export function prepared<Values extends Record<string, unknown>, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Promise<Row[]> {
  const compiledFor = compiledOnce(build)
  return async (db, values) => {
    const query = compiledFor(db)
    const parameters = parametersOf(query, values)
    const isDirect = db instanceof Reads
    const { rows } = await (isDirect
      ? db.runPrepared(query.sql, parameters)
      : db.executeQuery<Row>({ ...query, parameters }))
    return rows as Row[] // rows of the query that was built
  }
}

/** Prepares a write that is deferred: see `Transaction.defer`. */
export function preparedWrite<Values extends Record<string, unknown>, Row>(
  build: (db: Db, values: Values) => Compilable<Row>,
): (db: Db, values: Values) => Compilable<Row> {
  const compiledFor = compiledOnce(build)
  return (db, values) => {
    const query = compiledFor(db)
    return { compile: () => ({ ...query, parameters: parametersOf(query, values) }) }
  }
}

const parametersOf = (query: CompiledQuery, values: Record<string, unknown>) =>
  query.parameters.map((slot) => (slot instanceof Placeholder ? values[slot.name] : slot))

/** Once for each of the two databases, which have an adapter each. */
function compiledOnce<Values extends Record<string, unknown>, Row>(build: (db: Db, values: Values) => Compilable<Row>) {
  const compiled = new Map<DialectAdapter, CompiledQuery<Row>>()
  return (db: Db): CompiledQuery<Row> => {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    if (known) return known
    const query = build(db, placeholders as Values).compile() // a placeholder is only ever passed on to the parameters
    compiled.set(adapter, query)
    return query
  }
}
