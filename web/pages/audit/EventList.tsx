import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { AuditEvent } from '../../api/audit.ts'
import { Time } from '../../ui/Time.tsx'
import { detailsOf } from './details.ts'
import styles from './EventList.module.css'
import { actorInWords, inWords } from './words.ts'

/** What happened, a sentence each. */
export function EventList({ events }: { events: readonly AuditEvent[] }) {
  return (
    <ul className="plain-list" aria-label="Events">
      {events.map((event) => (
        <Event key={event.id} event={event} />
      ))}
    </ul>
  )
}

function Event({ event }: { event: AuditEvent }) {
  const { message, subject } = inWords(event)
  const details = detailsOf(event)
  return (
    <li className={styles['event']}>
      <div>
        <Text>
          <Who actor={event.actor} /> {message} {subject && <strong>{subject}</strong>}
        </Text>
        {details && (
          <Text size="sm" c="dimmed">
            {details}
          </Text>
        )}
      </div>
      <Text size="sm" c="dimmed">
        <Time at={event.at} />
      </Text>
    </li>
  )
}

/** The name of who did it leads to everything that they did. */
function Who({ actor }: { actor: AuditEvent['actor'] }) {
  const words = actorInWords(actor)
  const { id } = actor
  if (!id) return <strong>{words}</strong>
  return (
    <Anchor
      c="inherit"
      fw={600}
      underline="hover"
      renderRoot={(props) => (
        <Link {...props} from="/$slug/audit" to="." search={(search) => ({ ...search, actor: id })} />
      )}
    >
      {words}
    </Anchor>
  )
}
