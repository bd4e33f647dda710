import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RecentEvent } from '../../api/overview.ts'
import { Section } from '../../components/Section.tsx'
import { paths } from '../../paths.ts'
import { Time } from '../../ui/Time.tsx'
import { actorInWords, inWords } from '../audit/words.ts'
import styles from './overview.module.css'

/** What happened last, a line each. */
export function RecentEvents({ slug, events }: { slug: string; events: readonly RecentEvent[] }) {
  return (
    <Section
      title="Recent events"
      action={
        <Anchor component={Link} to={paths.audit(slug)} size="sm">
          View audit log
        </Anchor>
      }
    >
      {events.length === 0 && <Text>Nothing has happened yet.</Text>}
      <ul className="plain-list" aria-label="Recent events">
        {events.map((event) => {
          const { message, subject } = inWords(event)
          return (
            <li key={event.id} className={styles['event']}>
              <Text size="sm">
                <strong>{actorInWords(event.actor)}</strong> {message} {subject && <strong>{subject}</strong>}
              </Text>
              <Text size="sm" c="dimmed">
                <Time at={event.at} />
              </Text>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
