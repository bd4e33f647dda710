import { type CompiledQuery, type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { dialectOn } from '../dialect.ts'

interface Answer {
  rows: Record<string, unknown>[]
  count: number
}

const ADAPTER = new PostgresAdapter()

const PARTS = {
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => ADAPTER,
  createIntrospector: (db: ConstructorParameters<typeof PostgresIntrospector>[0]) => new PostgresIntrospector(db),
}

export const postgresDialect = (run: (query: CompiledQuery) => Promise<Answer>): Dialect =>
  dialectOn(async (query) => {
    const { rows, count } = await run(query)
    return { rows, numAffectedRows: BigInt(count) }
  }, PARTS)
