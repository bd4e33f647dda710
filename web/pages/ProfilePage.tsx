import { Button, Stack } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { showsApiKeys, useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { WhenVerified } from '../components/WhenVerified.tsx'
import { WhyNoKeys } from '../components/WhyNoKeys.tsx'
import { ChangePassword } from '../forms/identity/ChangePassword.tsx'
import { EditProfile } from '../forms/identity/EditProfile.tsx'
import { paths } from '../paths.ts'
import { Sessions } from './profile/Sessions.tsx'

/** The person's own page, and on a personal account the way to its API keys (W2). */
export function ProfilePage() {
  const viewer = useViewer()
  const { slug, kind } = viewer.organization
  const toKeys = kind === 'PERSONAL' && showsApiKeys(viewer) && (
    <Button variant="default" component={Link} to={paths.profileApiKeys(slug)}>
      API Keys
    </Button>
  )
  return (
    <Page title="Profile" of={viewer.organization.name} actions={toKeys}>
      <WhyNoKeys />
      <WhenVerified />
      <Stack gap="xl" maw={640}>
        <EditProfile viewer={viewer} />
        <ChangePassword email={viewer.user?.email ?? ''} />
        <Sessions />
      </Stack>
      <Outlet />
    </Page>
  )
}
