import { Alert, Code, Skeleton, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/client.ts'
import { type Email, emailsQuery } from '../../api/mail.ts'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { Time } from '../../ui/Time.tsx'
import styles from './Emails.module.css'

/** What the portal wrote to people of this account, and whether it went out. */
export function Emails({ slug }: { slug: string }) {
  const query = useInfiniteQuery(emailsQuery(slug))
  const { data, error } = query
  if (!data) return error instanceof ApiError ? <ErrorAlert error={error} /> : <Skeleton height="var(--height-chart)" />
  const emails = data.pages.flatMap((page) => page.data)
  return (
    <>
      {emails.some(({ state }) => state === 'STORED') && <NoMail />}
      {emails.length === 0 ? (
        <Text>No emails yet.</Text>
      ) : (
        <ul className="plain-list" aria-label="Emails">
          {emails.map((email) => (
            <EmailRow key={email.id} email={email} />
          ))}
        </ul>
      )}
      <ShowMore query={query}>Show older emails</ShowMore>
    </>
  )
}

const NoMail = () => (
  <Alert mb="sm" role="note">
    This portal does not send email: emails are stored here. Its administrator can set a mail server in{' '}
    <Code>SMTP_URL</Code>.
  </Alert>
)

function EmailRow({ email }: { email: Email }) {
  const { to, subject, text, createdAt, lastError } = email
  return (
    <li>
      <details className={styles['email']}>
        <summary>
          <span className={styles['subject']}>{subject}</span>{' '}
          <Text span display="block" size="sm" c="dimmed">
            to {to} · <Time at={createdAt} /> · <State email={email} />
          </Text>
        </summary>
        {lastError && (
          <Text size="sm" mt="xs">
            The last attempt failed: {lastError}
          </Text>
        )}
        {text === null ? (
          <Text size="sm" mt="xs">
            Not shown: it contains a private link for the recipient.
          </Text>
        ) : (
          <pre className={styles['text']}>{text}</pre>
        )}
      </details>
    </li>
  )
}

function State({ email: { state, sentAt, lastError } }: { email: Email }) {
  if (state === 'SENT') {
    return (
      <>
        sent <Time at={sentAt} />
      </>
    )
  }
  if (state === 'QUEUED') return <>{lastError ? 'queued, will be retried' : 'queued'}</>
  return <>{state === 'STORED' ? 'stored' : 'not sent: too old'}</>
}
