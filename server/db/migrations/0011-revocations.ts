import type { ColumnTypes } from '../database.ts'

export const name = 'what was revoked, in order, for comparison with a ledger outside of the database'

/** The only row of the state has no installation yet: the first start gives it one, or takes the ledger's. */
export const up = ({ text, integer, tableOptions }: ColumnTypes) => `
create table "revocation" (
  "sequence" ${integer} not null,
  "incarnation" ${integer} not null,
  "kind" ${text} not null,
  "organizationId" ${text} not null,
  "subject" ${text} not null,
  "endsAt" ${integer} not null,
  primary key ("sequence", "incarnation", "kind", "organizationId", "subject", "endsAt")
) ${tableOptions};
create index "revocationBySubject" on "revocation" ("subject");

create table "revocationState" (
  "installation" ${text} not null,
  "incarnation" ${integer} not null,
  "sequence" ${integer} not null,
  "server" ${text} not null,
  "heldSince" ${integer}
) ${tableOptions};
insert into "revocationState" values ('', 0, 0, '', null)
`
