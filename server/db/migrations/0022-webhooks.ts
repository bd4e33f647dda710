import type { ColumnTypes } from '../database.ts'

export const name = 'webhooks and their deliveries'

export const up = ({ text, integer, tableOptions }: ColumnTypes) => `
create table "webhook" (
  "id" ${text} primary key,
  "organizationId" ${text} not null references "organization" ("id"),
  "url" ${text} not null,
  "description" ${text},
  "events" ${text} not null,
  "enabled" ${integer} not null,
  "pausedReason" ${text},
  "failingSince" ${integer},
  "secret" ${text} not null,
  "previousSecret" ${text},
  "previousSecretUntil" ${integer},
  "createdAt" ${integer} not null,
  "createdByKind" ${text} not null,
  "createdById" ${text},
  "createdByName" ${text} not null,
  "updatedAt" ${integer} not null
) ${tableOptions};
create index "webhookByOrganization" on "webhook" ("organizationId", "id");
create table "webhookDelivery" (
  "id" ${text} primary key,
  "webhookId" ${text} not null,
  "event" ${text} not null,
  "payload" ${text} not null,
  "state" ${text} not null,
  "attempts" ${integer} not null,
  "createdAt" ${integer} not null,
  "retryUntil" ${integer} not null,
  "nextAttemptAt" ${integer} not null,
  "lastAttemptAt" ${integer},
  "responseStatus" ${integer},
  "error" ${text}
) ${tableOptions};
create index "webhookDeliveryByWebhook" on "webhookDelivery" ("webhookId", "id");
create index "webhookDeliveryByState" on "webhookDelivery" ("webhookId", "state", "id");
create index "webhookDeliveryDue" on "webhookDelivery" ("webhookId", "nextAttemptAt", "id") where "state" = 'PENDING';
create index "webhookTestDue" on "webhookDelivery" ("nextAttemptAt") where "state" = 'PENDING' and "event" = 'test';
create table "webhookProgress" (
  "organizationId" ${text} primary key references "organization" ("id"),
  "version" ${integer} not null,
  "offlineSeenAt" ${integer} not null,
  "offlineDeviceId" ${text} not null
) ${tableOptions}
`
