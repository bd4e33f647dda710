import type { ColumnTypes } from '../database.ts'

export const name = 'which devices belong to a demo'

export const up = ({ text, tableOptions }: ColumnTypes) => `
create table "demoDevice" (
  "deviceId" ${text} primary key,
  "keyId" ${text} not null,
  "pattern" ${text} not null
) ${tableOptions}
`
