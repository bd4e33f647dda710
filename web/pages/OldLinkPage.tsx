import { ExpiredLink } from '../layouts/ExpiredLink.tsx'

/** Where links of invitations and resets led when their token was a part of the path. */
export const OldLinkPage = () => (
  <ExpiredLink>This link was created by an older version of the portal. Ask for a new one.</ExpiredLink>
)
