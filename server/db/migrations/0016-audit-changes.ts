import type { ColumnTypes } from '../database.ts'

export const name = 'what an audit event is about, what it changed, and from which address'

/** Older events, and those of an older version that still runs, have none of it. */
export const up = ({ text }: ColumnTypes) => `
alter table "auditEvent" add column "subjectType" ${text};
alter table "auditEvent" add column "subjectId" ${text};
alter table "auditEvent" add column "changes" ${text};
alter table "auditEvent" add column "ip" ${text};
create index "auditEventBySubject" on "auditEvent" ("organizationId", "subjectId", "id") where "subjectId" is not null
`
