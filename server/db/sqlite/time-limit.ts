import {
  AliasNode,
  AndNode,
  IdentifierNode,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type QueryId,
  type SelectQueryNode,
  sql,
  TableNode,
  WhereNode,
  type WithNode,
} from 'kysely'

/** The SQL function that stops a statement whose time is up; a reader thread defines it. */
export const TIME_LIMIT_FUNCTION = 'within_time'

/** One row in this many checks the time: checking costs more than reading most rows. */
const ASKED_EVERY = 128

/** Lets every loop check the time, since a statement of node:sqlite cannot be interrupted. By the row id, the condition runs in the loop over that table. */
export const withinTime: KyselyPlugin = {
  transformQuery: ({ node }: PluginTransformQueryArgs) => new TimeLimit().transformNode(node),
  transformResult: async ({ result }) => result,
}

class TimeLimit extends OperationNodeTransformer {
  readonly #named = new Set<string>()

  protected override transformWith(node: WithNode, queryId?: QueryId): WithNode {
    for (const { name } of node.expressions) this.#named.add(name.table.table.identifier.name)
    return super.transformWith(node, queryId)
  }

  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    const inside = super.transformSelectQuery(node, queryId)
    const from = [...(inside.from?.froms ?? []), ...(inside.joins ?? []).map(({ table }) => table)]
    return from.flatMap((table) => this.#nameOf(table)).reduce(alsoWithinTime, inside)
  }

  /** None for a subquery: its own tables have the condition. */
  #nameOf(from: OperationNode): string[] {
    if (AliasNode.is(from)) {
      return this.#nameOf(from.node).length > 0 && IdentifierNode.is(from.alias) ? [from.alias.name] : []
    }
    if (!TableNode.is(from)) return []
    const { name } = from.table.identifier
    return this.#named.has(name) ? [] : [name]
  }
}

function alsoWithinTime(node: SelectQueryNode, table: string): SelectQueryNode {
  const rowId = sql.ref(`${table}.rowid`)
  const condition =
    sql`(${rowId} % ${sql.lit(ASKED_EVERY)} <> 0 or ${sql.raw(TIME_LIMIT_FUNCTION)}())`.toOperationNode()
  const where = node.where ? AndNode.create(node.where.where, condition) : condition
  return { ...node, where: WhereNode.create(where) }
}
