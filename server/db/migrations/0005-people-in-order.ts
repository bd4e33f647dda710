export const name = 'people in the order of the list'

/** Members and invitations are listed in one order, by when they came. */
export const up = () => `
create index "membershipByCreation" on "membership" ("organizationId", "createdAt", "userId");
create index "invitationByCreation" on "invitation" ("organizationId", "createdAt", "id")
`
