import type { Expression, ExpressionBuilder, ReferenceExpression, SqlBool } from 'kysely'
import type { Tables } from './tables.ts'

/** Whether a column begins with the text, written as the range that an index can serve. */
export function beginsWith<Table extends keyof Tables>(
  eb: ExpressionBuilder<Tables, Table>,
  column: ReferenceExpression<Tables, Table>,
  text: string,
): Expression<SqlBool> {
  return eb.and([eb(column, '>=', text), eb(column, '<', `${text}\u{10ffff}`)])
}
