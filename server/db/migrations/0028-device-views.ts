import type { ColumnTypes } from '../database.ts'

export const name = 'saved views of the device list'

/** A person's own views end with their membership; those of nobody are everyone's. */
export const up = ({ text, integer, tableOptions }: ColumnTypes) => `
create table "deviceView" (
  "id" ${text} primary key,
  "organizationId" ${text} not null references "organization" ("id"),
  "userId" ${text},
  "name" ${text} not null,
  "nameKey" ${text} not null,
  "search" ${text} not null,
  "createdAt" ${integer} not null,
  foreign key ("organizationId", "userId") references "membership" ("organizationId", "userId") on delete cascade
) ${tableOptions};
create index "deviceViewByName" on "deviceView" ("organizationId", "userId", "nameKey")
`
