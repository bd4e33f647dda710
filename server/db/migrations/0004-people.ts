import type { ColumnTypes } from '../database.ts'
import type { Step } from '../migration-steps.ts'

export const name = 'who invited whom, verified addresses, and links in emails'

/**
 * Older invitations are deleted: it is not known on whose right they depend (C13), and the paths in their links no
 * longer exist. Queued emails with such a link are not sent. People whom the command line created, by the audit log,
 * count as verified; everybody else verifies their address once, where the portal sends email.
 */
export const up = ({ text, integer, bytes, tableOptions }: ColumnTypes): Step[] => [
  `delete from "invitation"`,
  { table: 'mail', set: '"usefulUntil" = 0', where: '"sealed" = 1 and "sentAt" is null' },
  `
alter table "invitation" add column "invitedByUserId" ${text};
alter table "invitation" add column "invitedByKeyId" ${text} references "apiKey" ("id") on delete cascade;
create index "invitationByKey" on "invitation" ("invitedByKeyId") where "invitedByKeyId" is not null;

alter table "membership" add column "invitedByUserId" ${text};
alter table "membership" add column "invitedByKeyId" ${text};
create index "membershipByKey" on "membership" ("invitedByKeyId") where "invitedByKeyId" is not null;

alter table "user" add column "emailVerifiedAt" ${integer};
`,
  {
    table: 'user',
    set: '"emailVerifiedAt" = "createdAt"',
    where: `exists (
  select 1 from "auditEvent"
  where "organizationId" = "personalOrganizationId" and "action" = 'organization.created' and "actorKind" = 'SYSTEM'
)`,
  },
  `
create table "emailVerification" (
  "id" ${text} primary key,
  "userId" ${text} not null references "user" ("id"),
  "tokenHash" ${bytes} not null unique,
  "createdAt" ${integer} not null,
  "expiresAt" ${integer} not null
) ${tableOptions};
create index "emailVerificationByUser" on "emailVerification" ("userId");

alter table "passwordReset" add column "emailed" ${integer} not null default 0;
alter table "mail" add column "linkHash" ${bytes};

update "organization" set "slug" = "slug" || '-' || substr("id", length("id") - 5)
where "slug" in ('reset-password', 'verify-email')
`,
]
