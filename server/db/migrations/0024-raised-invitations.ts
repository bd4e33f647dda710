import type { ColumnTypes } from '../database.ts'

export const name = 'who raised an invitation to Admin'

/** Invitations that were raised before depend on the one who raised them alone, until they expire, after 72 hours at most. */
export const up = ({ text }: ColumnTypes) => `
alter table "invitation" add column "raisedByUserId" ${text};
alter table "invitation" add column "raisedByKeyId" ${text} references "apiKey" ("id") on delete cascade;
create index "invitationByRaisingKey" on "invitation" ("raisedByKeyId") where "raisedByKeyId" is not null
`
