export const name = 'devices in the order of their creation and of their last change'

/** The order of their last check-ins is in an index since the first version. */
export const up = () => `
create index "deviceByCreation" on "device" ("organizationId", "createdAt", "id");
create index "deviceByUpdate" on "device" ("organizationId", "updatedAt", "id")
`
