import type { ColumnTypes } from '../database.ts'

export const name = 'usage of keys by root field, the last calls of a key, and keys that are gone'

/** Days that were added up before have no root fields: null, which is not the same as none. */
export const up = ({ text, integer, tableOptions }: ColumnTypes) => `
alter table "apiKeyUsageDay" add column "fields" ${text};
create table "apiKeyCallLog" (
  "keyId" ${text} not null,
  "writer" ${text} not null,
  "accepted" ${text} not null,
  "refused" ${text} not null,
  "since" ${integer} not null,
  "updatedAt" ${integer} not null,
  primary key ("keyId", "writer")
) ${tableOptions};
create index "apiKeyCallLogBySince" on "apiKeyCallLog" ("since");
create table "revokedApiKey" (
  "id" ${text} primary key,
  "organizationId" ${text} not null,
  "label" ${text} not null,
  "prefix" ${text} not null,
  "createdAt" ${integer} not null,
  "createdByKind" ${text} not null,
  "createdById" ${text},
  "createdByName" ${text} not null,
  "lastUsedAt" ${integer},
  "revokedAt" ${integer} not null,
  "revokedByKind" ${text} not null,
  "revokedById" ${text},
  "revokedByName" ${text} not null,
  "cause" ${text} not null,
  "reason" ${text}
) ${tableOptions};
create index "revokedApiKeyByTime" on "revokedApiKey" ("organizationId", "revokedAt", "id");
create index "revokedApiKeyByAge" on "revokedApiKey" ("revokedAt")
`
