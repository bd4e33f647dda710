export const name = 'no organization at paths that the portal has of its own'

/** `leaks`, `reset-password` and `verify-email` were renamed before; the others were always reserved. */
export const up = () => `
update "organization" set "slug" = "slug" || '-' || "id" where "slug" in ('forgot-password', 'mcp')
`
