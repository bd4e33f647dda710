import type { ColumnTypes } from '../database.ts'

export const name = 'canary keys, and no organization at the path of leak reports'

/** In a table of their own, which nothing reads that accepts keys. */
export const up = ({ text, integer, bytes, tableOptions }: ColumnTypes) => `
create table "canaryApiKey" (
  "id" ${text} primary key,
  "organizationId" ${text} not null references "organization" ("id"),
  "label" ${text} not null,
  "prefix" ${text} not null,
  "secretHash" ${bytes} not null,
  "createdAt" ${integer} not null,
  "createdByKind" ${text} not null,
  "createdById" ${text},
  "createdByName" ${text} not null,
  "calls" ${integer} not null,
  "lastUsedAt" ${integer},
  "lastUsedIp" ${text},
  "lastUsedUserAgent" ${text},
  "notifiedAt" ${integer},
  "leakedAt" ${integer}
) ${tableOptions};
create unique index "canaryApiKeyBySecret" on "canaryApiKey" ("secretHash");
create index "canaryApiKeyByOrganization" on "canaryApiKey" ("organizationId", "id");
update "organization" set "slug" = 'leaks-' || "id" where "slug" = 'leaks'
`
