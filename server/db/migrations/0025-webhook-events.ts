import type { ColumnTypes } from '../database.ts'

export const name = 'events for webhooks, before they are fanned out'

export const up = ({ text, integer, tableOptions }: ColumnTypes) => `
create table "webhookEvent" (
  "id" ${text} primary key,
  "organizationId" ${text} not null,
  "type" ${text} not null,
  "payload" ${text} not null,
  "webhookIds" ${text} not null,
  "createdAt" ${integer} not null
) ${tableOptions};
create index "webhookEventByOrganization" on "webhookEvent" ("organizationId", "id")
`
