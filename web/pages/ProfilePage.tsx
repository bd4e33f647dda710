import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { revokeOtherSessions, revokeSession, type Session, sessionsQuery } from '../api/profile.ts'
import { showsApiKeys, useViewer } from '../api/viewer.ts'
import { Page } from '../components/Page.tsx'
import { Section, Sections } from '../components/Section.tsx'
import { WhenVerified } from '../components/WhenVerified.tsx'
import { WhyNoKeys } from '../components/WhyNoKeys.tsx'
import { ChangePassword, EditProfile } from '../forms/identity/EditProfile.tsx'
import { paths } from '../paths.ts'
import { browserName } from '../ui/browser-name.ts'
import { notifyDone, notifyError } from '../ui/notify.ts'
import { Time } from '../ui/Time.tsx'

/** The person's own page, and on a personal account the way to its API keys (W2). */
export function ProfilePage() {
  const viewer = useViewer()
  const { slug, kind, apiKeysEnabled } = viewer.organization
  const toKeys = kind === 'PERSONAL' && showsApiKeys(viewer) && (
    <Button variant="default" component={Link} to={paths.profileApiKeys(slug)}>
      API Keys
    </Button>
  )
  return (
    <Page title="Profile" of={viewer.organization.name} actions={toKeys}>
      <WhyNoKeys />
      <WhenVerified />
      <Sections>
        <EditProfile viewer={viewer} />
        <ChangePassword email={viewer.user?.email ?? ''} />
        {kind === 'PERSONAL' && !apiKeysEnabled && <KeysOff slug={slug} />}
        <Sessions />
      </Sections>
      <Outlet />
    </Page>
  )
}

/** While API keys are off: that there are any, and where to switch them on. */
const KeysOff = ({ slug }: { slug: string }) => (
  <Section title="API keys" message="API keys let your scripts call the GraphQL API. They are off for this account.">
    <Anchor component={Link} to={paths.settings(slug)} underline="always">
      Open Settings
    </Anchor>
  </Section>
)

/** Where you are signed in; a session that is signed out is refused at its next request. */
function Sessions() {
  const { data: sessions } = useSuspenseQuery(sessionsQuery)
  const act = useAct()
  const signOutOthers = () => act(async () => signedOut(await revokeOtherSessions()))
  return (
    <Section
      title="Sessions"
      message="Browsers where you are signed in."
      action={
        sessions.length > 1 && (
          <Button variant="default" onClick={signOutOthers}>
            Sign out all others
          </Button>
        )
      }
    >
      <Stack component="ul" gap="md" m={0} p={0}>
        {sessions.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </Stack>
    </Section>
  )
}

function Row({ session }: { session: Session }) {
  const act = useAct()
  const { id, userAgent, address, createdAt, lastSeenAt, current } = session
  const name = browserName(userAgent)
  const signOut = () =>
    act(async () => {
      await revokeSession(id)
      return 'Session signed out.'
    })
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text fw={500} title={userAgent}>
            {name}
          </Text>
          {current && <Badge>This session</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {address} · signed in <Time at={createdAt} />
          {!current && (
            <>
              {' '}
              · last seen <Time at={lastSeenAt} />
            </>
          )}
        </Text>
      </div>
      {!current && (
        <Button variant="default" size="xs" flex="none" onClick={signOut} aria-label={`Sign out ${name}, ${address}`}>
          Sign out
        </Button>
      )}
    </Group>
  )
}

const signedOut = (count: number) =>
  count === 1 ? '1 other session signed out.' : `${count} other sessions signed out.`

function useAct() {
  const queryClient = useQueryClient()
  return async (work: () => Promise<string>) => {
    try {
      notifyDone(await work())
    } catch (error) {
      if (error instanceof Error) notifyError(error)
    }
    await queryClient.invalidateQueries({ queryKey: ['sessions'] })
  }
}
