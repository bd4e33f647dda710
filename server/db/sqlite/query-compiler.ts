import { SqliteQueryCompiler as KyselyCompiler, type LimitNode } from 'kysely'

/**
 * Writes a limit as an expression. For a bare parameter there, SQLite plans by its value and recompiles the statement
 * whenever a value is bound, which takes a third of the time of a page.
 */
export class SqliteQueryCompiler extends KyselyCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit (')
    this.visitNode(limit)
    this.append(' + 0)')
  }
}
