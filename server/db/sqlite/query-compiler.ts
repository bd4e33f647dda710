import { SqliteQueryCompiler as KyselyCompiler, type LimitNode } from 'kysely'

/**
 * Writes a limit as an expression. SQLite plans a statement by the value of a bare parameter there, and so compiles it anew
 * whenever a value is bound: a third of the time of a page.
 */
export class SqliteQueryCompiler extends KyselyCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit (')
    this.visitNode(limit)
    this.append(' + 0)')
  }
}
