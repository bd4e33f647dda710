import type { ColumnTypes } from '../database.ts'

export const name = 'which process makes the scheduled backups, and when one was last proven to be restorable'

/** One row, with no backup yet. */
export const up = ({ text, integer, tableOptions }: ColumnTypes) => `
create table "backupSchedule" (
  "claimedBy" ${text} not null,
  "claimedUntil" ${integer} not null,
  "startedAt" ${integer} not null,
  "verifiedAt" ${integer}
) ${tableOptions};
insert into "backupSchedule" values ('', 0, 0, null)
`
