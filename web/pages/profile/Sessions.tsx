import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { endOtherSessions, endSession, type Session, sessionsQuery } from '../../api/session.ts'
import { Section } from '../../components/Section.tsx'
import { browserName } from '../../ui/browser-name.ts'
import { notifyDone, notifyTrouble } from '../../ui/notify.ts'
import { Time } from '../../ui/Time.tsx'

/** Where you are signed in; what is ended is out with its next click. */
export function Sessions() {
  const { data: sessions } = useSuspenseQuery(sessionsQuery)
  const act = useAct()
  const endOthers = () => act(async () => `Ended: ${await endOtherSessions()}. Only this session is left.`)
  return (
    <Section
      title="Sessions"
      says="The browsers in which you are signed in."
      action={
        sessions.length > 1 && (
          <Button variant="default" onClick={endOthers}>
            End all others
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
  const end = () =>
    act(async () => {
      await endSession(id)
      return 'The session has ended.'
    })
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text fw={500} title={userAgent}>
            {name}
          </Text>
          {current && <Badge variant="default">This one</Badge>}
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
        <Button variant="default" size="xs" onClick={end} aria-label={`End ${name}, ${address}`}>
          End
        </Button>
      )}
    </Group>
  )
}

function useAct() {
  const queryClient = useQueryClient()
  return async (work: () => Promise<string>) => {
    try {
      notifyDone(await work())
    } catch (error) {
      if (error instanceof Error) notifyTrouble(error)
    }
    await queryClient.invalidateQueries({ queryKey: ['sessions'] })
  }
}
