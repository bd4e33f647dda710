export const name = 'people in the order of the list'

/** Members and invitations are listed together, ordered by when they were added. */
export const up = () => `
create index "membershipByCreation" on "membership" ("organizationId", "createdAt", "userId");
create index "invitationByCreation" on "invitation" ("organizationId", "createdAt", "id")
`
