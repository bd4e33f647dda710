export const name = 'devices that were never seen'

/** PostgreSQL does not take the rows without a time as one stretch of the index on it, in the order of what follows. */
export const up = () =>
  `create index "deviceNeverSeen" on "device" ("organizationId", "nameKey", "id") where "lastSeenAt" is null`
