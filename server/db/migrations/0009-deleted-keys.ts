import type { ColumnTypes } from '../database.ts'
import type { Step } from '../migration-steps.ts'

export const name = 'rows of deleted keys are deleted a while after them'

/**
 * Usage, lineage and notifications no longer go with their key in one transaction, which took seconds for a thousand
 * keys: the ids of deleted keys are written down in its place. Invitations still go with it, since they give access.
 * SQLite cannot drop a foreign key, so there the tables are filled anew.
 */
export const up = (types: ColumnTypes): Step[] => [
  `create table "deletedApiKey" ("id" ${types.text} primary key) ${types.tableOptions}`,
  types.dialect === 'postgres' ? TABLES.map(dropForeignKey).join(';') : fillAnew(types),
]

const TABLES = ['apiKeyLineage', 'apiKeyUsage', 'apiKeyUsageDay', 'apiKeyWarning']

const dropForeignKey = (table: string) => `alter table "${table}" drop constraint "${table}_keyId_fkey"`

const fillAnew = ({ text, integer, tableOptions }: ColumnTypes) => `
create table "kept" as select "ancestorId", "keyId" from "apiKeyLineage";
drop table "apiKeyLineage";
create table "apiKeyLineage" (
  "ancestorId" ${text} not null,
  "keyId" ${text} not null,
  primary key ("ancestorId", "keyId")
) ${tableOptions};
insert into "apiKeyLineage" select "ancestorId", "keyId" from "kept";
drop table "kept";
create index "apiKeyLineageByKey" on "apiKeyLineage" ("keyId");

create table "kept" as select "keyId", "hour", "writer", "calls", "errors", "seen" from "apiKeyUsage";
drop table "apiKeyUsage";
create table "apiKeyUsage" (
  "keyId" ${text} not null,
  "hour" ${integer} not null,
  "writer" ${text} not null,
  "calls" ${integer} not null,
  "errors" ${integer} not null,
  "seen" ${text} not null,
  primary key ("keyId", "hour", "writer")
) ${tableOptions};
insert into "apiKeyUsage" select "keyId", "hour", "writer", "calls", "errors", "seen" from "kept";
drop table "kept";
create index "apiKeyUsageByHour" on "apiKeyUsage" ("hour");

create table "kept" as select "keyId", "day", "calls", "errors" from "apiKeyUsageDay";
drop table "apiKeyUsageDay";
create table "apiKeyUsageDay" (
  "keyId" ${text} not null,
  "day" ${integer} not null,
  "calls" ${integer} not null,
  "errors" ${integer} not null,
  primary key ("keyId", "day")
) ${tableOptions};
insert into "apiKeyUsageDay" select "keyId", "day", "calls", "errors" from "kept";
drop table "kept";
create index "apiKeyUsageDayByDay" on "apiKeyUsageDay" ("day");

create table "kept" as select "keyId", "expiresAt", "days", "at" from "apiKeyWarning";
drop table "apiKeyWarning";
create table "apiKeyWarning" (
  "keyId" ${text} not null,
  "expiresAt" ${integer} not null,
  "days" ${integer} not null,
  "at" ${integer} not null,
  primary key ("keyId", "expiresAt", "days")
) ${tableOptions};
insert into "apiKeyWarning" select "keyId", "expiresAt", "days", "at" from "kept";
drop table "kept"
`
