import { Alert, Button, Center, Code, Skeleton, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/client.ts'
import { type Letter, outboxQuery } from '../../api/mail.ts'
import { isMailOn } from '../../api/mail-on.ts'
import { Time } from '../../ui/Time.tsx'
import { Trouble } from '../../ui/Trouble.tsx'
import styles from './Outbox.module.css'

/** What the portal wrote to people of this account, and whether it went out. */
export default function Outbox({ slug }: { slug: string }) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(outboxQuery(slug))
  if (!data) return error instanceof ApiError ? <Trouble error={error} /> : <Skeleton height={80} />
  const letters = data.pages.flatMap((page) => page.data)
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {isMailOn() ? 'Invitations, and warnings of keys that end soon.' : 'Warnings of keys that end soon.'}
      </Text>
      {letters.some(({ state }) => state === 'KEPT') && <NoMail />}
      {letters.length === 0 ? (
        <Text>No letters yet.</Text>
      ) : (
        <ul className={styles['letters']} aria-label="Letters">
          {letters.map((letter) => (
            <LetterRow key={letter.id} letter={letter} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Center mt="md">
          <Button variant="default" onClick={() => fetchNextPage()} loading={isFetchingNextPage}>
            Show older letters
          </Button>
        </Center>
      )}
    </>
  )
}

const NoMail = () => (
  <Alert mb="sm" role="note">
    This portal sends no mail: letters are kept here. Whoever runs it can name a mail server in <Code>SMTP_URL</Code>.
  </Alert>
)

function LetterRow({ letter }: { letter: Letter }) {
  const { to, subject, text, createdAt, trouble } = letter
  return (
    <li>
      <details className={styles['letter']}>
        <summary>
          <span className={styles['subject']}>{subject}</span>{' '}
          <Text span display="block" size="sm" c="dimmed">
            to {to} · <Time at={createdAt} /> · <State letter={letter} />
          </Text>
        </summary>
        {trouble && (
          <Text size="sm" mt="xs">
            The last try failed: {trouble}
          </Text>
        )}
        {text === null ? (
          <Text size="sm" mt="xs">
            It holds a link that is for its reader alone, and is not shown.
          </Text>
        ) : (
          <pre className={styles['text']}>{text}</pre>
        )}
      </details>
    </li>
  )
}

function State({ letter: { state, sentAt, trouble } }: { letter: Letter }) {
  if (state === 'SENT') {
    return (
      <>
        sent <Time at={sentAt} />
      </>
    )
  }
  if (state === 'WAITING') return <>{trouble ? 'will be tried again' : 'on its way'}</>
  return <>{state === 'KEPT' ? 'kept' : 'not sent: it is too old to be of use'}</>
}
