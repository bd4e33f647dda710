import type { ColumnTypes } from './database.ts'

/** One version of the database: what leads to it from the version before. */
export interface Migration {
  name: string
  up: (types: ColumnTypes) => string | readonly Step[]
}

/** Statements divided by semicolons that take no longer the more rows there are, but for `create index`, which PostgreSQL does beside writes. */
export type Step = string | RowChange

/** A change of many rows of a table with an id, a few thousand at a time. */
export interface RowChange {
  table: string
  set: string
  where: string
}

/** The steps of a migration, each a single statement or a change of many rows. */
export function stepsOf({ up }: Migration, types: ColumnTypes): Step[] {
  const parts = up(types)
  return (typeof parts === 'string' ? [parts] : parts).flatMap((part): Step[] =>
    typeof part === 'string' ? part.split(';').filter((statement) => statement.trim() !== '') : [part],
  )
}

/** A step as one statement, for where there are few rows or nobody waits. */
export const statementOf = (step: Step): string =>
  typeof step === 'string' ? step : `update "${step.table}" set ${step.set} where ${step.where}`

/** The name of the index that a step creates; undefined: it creates none. */
export const indexOf = (step: Step): string | undefined =>
  typeof step === 'string' ? /^\s*create (?:unique )?index "(\w+)"/.exec(step)?.[1] : undefined
