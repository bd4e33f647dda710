import { Alert, Anchor } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { showsApiKeys, useViewer, type Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'

/** Explains why the panel is not shown when its address is opened (F2, W1, W2). */
export function WhyNoKeys() {
  const viewer = useViewer()
  const { pathname } = useLocation()
  const { slug, kind } = viewer.organization
  const onProfile = pathname === paths.profileApiKeys(slug)
  if (!onProfile && pathname !== paths.usersApiKeys(slug)) return null
  if (showsApiKeys(viewer) && !(onProfile && kind === 'ORGANIZATION')) return null
  return <NoKeysNotice viewer={viewer} onProfile={onProfile} />
}

/** Why the API keys are not on this page, and where they are. */
export function NoKeysNotice({ viewer, onProfile = false }: { viewer: Viewer; onProfile?: boolean }) {
  if (onProfile && viewer.organization.kind === 'ORGANIZATION') return <OfAnOrganization {...viewer} />
  return viewer.role === 'ADMIN' ? <SwitchedOff {...viewer} /> : <ForAdmins />
}

const SwitchedOff = ({ organization: { slug, kind } }: Viewer) => (
  <Alert mb="md" role="status">
    API keys are off for this {kind === 'PERSONAL' ? 'account' : 'organization'}. Turn them on in{' '}
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
