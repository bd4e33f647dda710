import { DAY, systemClock } from '../../lib/clock.ts'
import { firstIdAt } from '../../lib/id.ts'
import type { ColumnTypes } from '../database.ts'

export const name = 'how many bytes an organization stores'

/** Audit events of today are counted here; recorded answers of before are not, and expire within a day. */
export const up = ({ text, integer, tableOptions }: ColumnTypes) => `
create table "storedBytes" (
  "organizationId" ${text} not null,
  "kind" ${text} not null,
  "period" ${integer} not null,
  "bytes" ${integer} not null,
  "atMost" ${integer} not null,
  primary key ("organizationId", "kind", "period"),
  constraint "audit_bytes_a_day" check ("kind" <> 'audit_bytes_a_day' or "bytes" <= "atMost"),
  constraint "answer_bytes" check ("kind" <> 'answer_bytes' or "bytes" <= "atMost"),
  constraint "delivery_bytes" check ("kind" <> 'delivery_bytes' or "bytes" <= "atMost")
) ${tableOptions};
create index "storedBytesByPeriod" on "storedBytes" ("kind", "period");
insert into "storedBytes"
select "organizationId", 'audit_bytes_a_day', ${today()}, sum(400 + octet_length("actorName")
  + octet_length(coalesce("subject", '')) + octet_length(coalesce("details", '')) + octet_length(coalesce("changes", ''))
), ${Number.MAX_SAFE_INTEGER}
from "auditEvent" where "id" >= '${firstIdAt(today())}' group by "organizationId"
`

const today = () => {
  const now = systemClock()
  return now - (now % DAY)
}
