import {
  type CompiledQuery,
  type Dialect,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { dialectOn } from '../dialect.ts'

const ADAPTER = new SqliteAdapter()

const PARTS = {
  createQueryCompiler: () => new LimitAsExpression(),
  createAdapter: () => ADAPTER,
  createIntrospector: (db: ConstructorParameters<typeof SqliteIntrospector>[0]) => new SqliteIntrospector(db),
}

export const sqliteDialect = (run: (query: CompiledQuery) => Promise<QueryResult<unknown>>): Dialect =>
  dialectOn(run, PARTS)

/** For a bare parameter as the limit, SQLite recompiles the statement whenever a value is bound, which takes a third of the time of a page. */
class LimitAsExpression extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit (')
    this.visitNode(limit)
    this.append(' + 0)')
  }
}
