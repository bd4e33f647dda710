import type { ColumnTypes } from '../database.ts'

export const name = 'answers to mutations, for retries'

export const up = ({ text, integer, bytes, tableOptions }: ColumnTypes) => `
create table "idempotencyRecord" (
  "id" ${text} primary key,
  "callerId" ${text} not null,
  "valueHash" ${bytes} not null,
  "bodyHash" ${bytes} not null,
  "answer" ${text} not null,
  "expiresAt" ${integer} not null
) ${tableOptions};
create unique index "idempotencyRecordByValue" on "idempotencyRecord" ("callerId", "valueHash")
`
