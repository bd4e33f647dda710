import type { ColumnTypes } from '../database.ts'

export const name = 'first tables'

export const up = ({ text, integer, bytes, tableOptions }: ColumnTypes) => `
create table "organization" (
  "id" ${text} primary key,
  "kind" ${text} not null check ("kind" in ('ORGANIZATION', 'PERSONAL')),
  "name" ${text} not null,
  "nameKey" ${text} not null,
  "slug" ${text} not null unique,
  "apiKeysEnabled" ${integer} not null,
  "createdAt" ${integer} not null
) ${tableOptions};
create index "organizationByName" on "organization" ("nameKey", "id");

create table "user" (
  "id" ${text} primary key,
  "email" ${text} not null unique,
  "name" ${text} not null,
  "passwordHash" ${text} not null,
  "support" ${integer} not null,
  "personalOrganizationId" ${text} not null unique references "organization" ("id"),
  "createdAt" ${integer} not null
) ${tableOptions};

create table "membership" (
  "organizationId" ${text} not null references "organization" ("id"),
  "userId" ${text} not null references "user" ("id"),
  "role" ${text} not null check ("role" in ('ADMIN', 'MEMBER')),
  "createdAt" ${integer} not null,
  primary key ("organizationId", "userId")
) ${tableOptions};
create index "membershipByUser" on "membership" ("userId");

create table "invitation" (
  "id" ${text} primary key,
  "organizationId" ${text} not null references "organization" ("id"),
  "email" ${text} not null,
  "name" ${text} not null,
  "role" ${text} not null check ("role" in ('ADMIN', 'MEMBER')),
  "tokenHash" ${bytes} not null unique,
  "createdAt" ${integer} not null,
  "expiresAt" ${integer} not null,
  unique ("organizationId", "email")
) ${tableOptions};

create table "passwordReset" (
  "id" ${text} primary key,
  "userId" ${text} not null references "user" ("id"),
  "tokenHash" ${bytes} not null unique,
  "createdAt" ${integer} not null,
  "expiresAt" ${integer} not null
) ${tableOptions};
create index "passwordResetByUser" on "passwordReset" ("userId");

create table "session" (
  "id" ${text} primary key,
  "userId" ${text} not null references "user" ("id"),
  "tokenHash" ${bytes} not null unique,
  "address" ${text} not null,
  "userAgent" ${text} not null,
  "createdAt" ${integer} not null,
  "lastSeenAt" ${integer} not null,
  "expiresAt" ${integer} not null
) ${tableOptions};
create index "sessionByUser" on "session" ("userId");

create table "apiKey" (
  "id" ${text} primary key,
  "organizationId" ${text} not null references "organization" ("id"),
  "label" ${text} not null,
  "start" ${text} not null,
  "secretHash" ${bytes} not null unique,
  "createdAt" ${integer} not null,
  "createdByKind" ${text} not null,
  "createdById" ${text},
  "createdByName" ${text} not null,
  "lastUsedAt" ${integer},
  "lastUsedFrom" ${text},
  "expiresAt" ${integer}
) ${tableOptions};
create index "apiKeyByOrganization" on "apiKey" ("organizationId", "id");

create table "apiKeyLineage" (
  "ancestorId" ${text} not null,
  "keyId" ${text} not null references "apiKey" ("id") on delete cascade,
  primary key ("ancestorId", "keyId")
) ${tableOptions};
create index "apiKeyLineageByKey" on "apiKeyLineage" ("keyId");

create table "device" (
  "id" ${text} primary key,
  "organizationId" ${text} not null references "organization" ("id"),
  "name" ${text} not null,
  "nameKey" ${text} not null,
  "description" ${text},
  "enabled" ${integer} not null,
  "lastSeenAt" ${integer},
  "firmwareVersion" ${text},
  "tags" ${text} not null,
  "location" ${text},
  "createdAt" ${integer} not null,
  "updatedAt" ${integer} not null,
  unique ("organizationId", "name")
) ${tableOptions};
create index "deviceByName" on "device" ("organizationId", "nameKey", "id");
create index "deviceByLastSeen" on "device" ("organizationId", "lastSeenAt", "nameKey", "id");
create index "deviceByEnabled" on "device" ("organizationId", "enabled", "nameKey", "id");

create table "deviceTag" (
  "organizationId" ${text} not null,
  "tag" ${text} not null,
  "nameKey" ${text} not null,
  "deviceId" ${text} not null references "device" ("id") on delete cascade,
  primary key ("organizationId", "tag", "nameKey", "deviceId")
) ${tableOptions};
create index "deviceTagByDevice" on "deviceTag" ("deviceId");

create table "auditEvent" (
  "id" ${text} primary key,
  "organizationId" ${text} not null references "organization" ("id"),
  "at" ${integer} not null,
  "action" ${text} not null,
  "actorKind" ${text} not null,
  "actorId" ${text},
  "actorName" ${text} not null,
  "subject" ${text},
  "details" ${text}
) ${tableOptions};
create index "auditEventByOrganization" on "auditEvent" ("organizationId", "id");
create index "auditEventByAction" on "auditEvent" ("organizationId", "action", "id");
create index "auditEventByActor" on "auditEvent" ("organizationId", "actorId", "id")
`
