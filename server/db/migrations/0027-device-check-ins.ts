import type { ColumnTypes } from '../database.ts'

export const name = 'check-ins of devices by day'

/** The day of the last check-in is counted in the device itself, and the days before it are one row. */
export const up = ({ text, integer, tableOptions }: ColumnTypes) => `
alter table "device" add column "checkIns" ${integer};
alter table "device" add column "firstCheckInAt" ${integer};
create table "deviceCheckIns" (
  "deviceId" ${text} primary key references "device" ("id") on delete cascade,
  "days" ${text} not null
) ${tableOptions}
`
