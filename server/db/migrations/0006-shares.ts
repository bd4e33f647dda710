import type { ColumnTypes } from '../database.ts'
import type { Step } from '../migration-steps.ts'

export const name = 'who made an organization and caused a mail, and how many devices there are'

export const up = ({ text, integer, tableOptions }: ColumnTypes): Step[] => [
  `alter table "organization" add column "createdById" ${text}`,
  {
    table: 'organization',
    set: `"createdById" = (
  select "actorId" from "auditEvent"
  where "auditEvent"."organizationId" = "organization"."id" and "action" = 'organization.created' and "actorKind" = 'USER'
  limit 1
)`,
    where: `"kind" = 'ORGANIZATION'`,
  },
  `
create index "organizationByCreator" on "organization" ("createdById") where "createdById" is not null;

alter table "mail" add column "causedById" ${text};
create index "mailByCause" on "mail" ("causedById", "id") where "causedById" is not null;
create index "mailByRecipient" on "mail" ("recipient", "id");

create table "deviceCount" (
  "organizationId" ${text} primary key references "organization" ("id"),
  "devices" ${integer} not null
) ${tableOptions};
insert into "deviceCount" select "organizationId", count(*) from "device" group by "organizationId"
`,
]
