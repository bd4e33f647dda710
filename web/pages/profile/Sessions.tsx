import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { revokeOtherSessions, revokeSession, type Session, sessionsQuery } from '../../api/profile.ts'
import { Section } from '../../components/Section.tsx'
import { browserName } from '../../ui/browser-name.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { Time } from '../../ui/Time.tsx'

/** Where you are signed in; a session that is signed out is refused at its next request. */
export function Sessions() {
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
          {current && <Badge variant="default">This session</Badge>}
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
