import { Alert, Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'

/** Why the API keys are not on this page, and where they are. */
export default function NoKeysNotice({ viewer, onProfile }: { viewer: Viewer; onProfile: boolean }) {
  if (onProfile && viewer.organization.kind === 'ORGANIZATION') return <OfAnOrganization {...viewer} />
  return viewer.role === 'ADMIN' ? <SwitchedOff {...viewer} /> : <ForAdmins />
}

const SwitchedOff = ({ organization: { slug, kind } }: Viewer) => (
  <Alert mb="md" role="status">
    API keys are switched off for this {kind === 'PERSONAL' ? 'account' : 'organization'}. Switch them on in{' '}
    <Anchor component={Link} to={paths.settings(slug)} inherit underline="always">
      Settings
    </Anchor>
    .
  </Alert>
)

const ForAdmins = () => (
  <Alert mb="md" role="status">
    Only Admins of this organization can view API keys.
  </Alert>
)

const OfAnOrganization = ({ organization: { slug, name } }: Viewer) => (
  <Alert mb="md" role="status">
    The API keys of {name} are on its{' '}
    <Anchor component={Link} to={paths.users(slug)} inherit underline="always">
      Users page
    </Anchor>
    . This page shows those of a personal account.
  </Alert>
)
