import type { ColumnTypes } from '../database.ts'

export const name = 'keys that are paused: until when, since when, and by whom'

/** Null in every row that there is: neither database rewrites them. */
export const up = ({ text, integer }: ColumnTypes) => `
alter table "apiKey" add column "pausedUntil" ${integer};
alter table "apiKey" add column "pausedAt" ${integer};
alter table "apiKey" add column "pausedByKind" ${text};
alter table "apiKey" add column "pausedById" ${text};
alter table "apiKey" add column "pausedByName" ${text}
`
