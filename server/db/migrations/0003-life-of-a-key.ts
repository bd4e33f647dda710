import type { ColumnTypes } from '../database.ts'
import type { Step } from '../migration-steps.ts'

export const name = 'usage, ends, rotation and policy of keys, and mail'

export const up = ({ text, integer, tableOptions }: ColumnTypes): Step[] => [
  `
alter table "organization" add column "apiKeyPolicy" ${text};

alter table "apiKey" add column "lastUsedAgent" ${text};
alter table "apiKey" add column "lastUsedFor" ${text};
alter table "apiKey" add column "labelled" ${integer} not null default 1;
alter table "apiKey" add column "rules" ${text};
alter table "apiKey" add column "replacesId" ${text};
alter table "apiKey" add column "replacedById" ${text};
`,
  { table: 'apiKey', set: '"labelled" = 0', where: `"label" like 'Key of ____-__-__ __:__'` },
  `
create index "apiKeyByEnd" on "apiKey" ("expiresAt", "id") where "expiresAt" is not null;

create table "apiKeyUsage" (
  "keyId" ${text} not null references "apiKey" ("id") on delete cascade,
  "hour" ${integer} not null,
  "writer" ${text} not null,
  "calls" ${integer} not null,
  "errors" ${integer} not null,
  "seen" ${text} not null,
  primary key ("keyId", "hour", "writer")
) ${tableOptions};
create index "apiKeyUsageByHour" on "apiKeyUsage" ("hour");

create table "apiKeyUsageDay" (
  "keyId" ${text} not null references "apiKey" ("id") on delete cascade,
  "day" ${integer} not null,
  "calls" ${integer} not null,
  "errors" ${integer} not null,
  primary key ("keyId", "day")
) ${tableOptions};
create index "apiKeyUsageDayByDay" on "apiKeyUsageDay" ("day");

create table "apiKeyWarning" (
  "keyId" ${text} not null references "apiKey" ("id") on delete cascade,
  "expiresAt" ${integer} not null,
  "days" ${integer} not null,
  "at" ${integer} not null,
  primary key ("keyId", "expiresAt", "days")
) ${tableOptions};

create table "mail" (
  "id" ${text} primary key,
  "organizationId" ${text} references "organization" ("id"),
  "kind" ${text} not null,
  "recipient" ${text} not null,
  "subject" ${text} not null,
  "text" ${text} not null,
  "sealed" ${integer} not null,
  "createdAt" ${integer} not null,
  "usefulUntil" ${integer} not null,
  "nextTryAt" ${integer} not null,
  "tries" ${integer} not null,
  "sentAt" ${integer},
  "trouble" ${text}
) ${tableOptions};
create index "mailWaiting" on "mail" ("nextTryAt", "id") where "sentAt" is null;
create index "mailByOrganization" on "mail" ("organizationId", "id")
`,
]
