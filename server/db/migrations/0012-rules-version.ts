import type { ColumnTypes } from '../database.ts'

export const name = 'the version of rules that a process must know to accept a key'

/** A constant default: neither database rewrites its rows for it. */
export const up = ({ integer }: ColumnTypes) =>
  `alter table "apiKey" add column "rulesVersion" ${integer} not null default 1`
