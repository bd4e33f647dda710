import { DatabaseSync } from 'node:sqlite'

/** So many events in the audit log that a backup or a restore takes a while; the portal may run. */
export function addManyEvents(path: string, count: number): void {
  const database = new DatabaseSync(path, { timeout: 10_000 })
  database.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into "auditEvent" ("id", "organizationId", "at", "action", "actorKind", "actorName")
    select printf('many%022d', i), (select "id" from "organization" limit 1), i, 'device.updated', 'SYSTEM', hex(randomblob(40)) from n`)
  database.close()
}
