import { Anchor, Text } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { AuditEvent } from '../../api/audit.ts'
import { paths } from '../../paths.ts'
import { Time } from '../../ui/Time.tsx'
import { auditSearch } from './audit-search.ts'
import { detailsOf } from './details.ts'
import styles from './EventList.module.css'
import { FieldChanges } from './FieldChanges.tsx'
import { actorInWords, inWords } from './words.ts'

interface EventListProps {
  events: readonly AuditEvent[]
  /** Where what was updated is shown at once, with its values before and after. */
  showsUpdates?: boolean
}

/** What happened, a sentence each. */
export function EventList({ events, showsUpdates = false }: EventListProps) {
  return (
    <ul className="plain-list" aria-label="Events">
      {events.map((event) => (
        <Event key={event.id} event={event} isOpen={showsUpdates && event.action.endsWith('_UPDATED')} />
      ))}
    </ul>
  )
}

function Event({ event, isOpen }: { event: AuditEvent; isOpen: boolean }) {
  const { message, subject, isImpersonal } = inWords(event)
  const details = detailsOf(event)
  return (
    <li className={styles['event']}>
      <div>
        <Text>
          {!isImpersonal && <Who actor={event.actor} />} {message} {subject && <strong>{subject}</strong>}
        </Text>
        <div className={styles['more']}>
          {details && (
            <Text size="sm" c="dimmed">
              {details}
            </Text>
          )}
          {event.changes && event.changes.length > 0 && (
            <details open={isOpen}>
              <Text component="summary" size="sm" c="dimmed">
                Before and after
              </Text>
              <FieldChanges changes={event.changes} />
            </details>
          )}
          {event.subjectType === 'API_KEY' && event.subjectId && (
            <ToChanges id={event.subjectId} name={event.subject} />
          )}
        </div>
      </div>
      <Text size="sm" c="dimmed">
        {event.ip && <span className="nowrap">from {event.ip} · </span>}
        <Time at={event.at} />
      </Text>
    </li>
  )
}

/** Leads to what a key changed, one that no longer exists as well: what it did is asked then. */
function ToChanges({ id, name }: { id: string; name: string | null }) {
  const { slug = '' } = useParams({ strict: false })
  return (
    <Text size="sm">
      <Anchor
        component={Link}
        to={paths.apiKeyChanges(slug, id)}
        inherit
        className={styles['link'] ?? ''}
        underline="always"
        aria-label={`View changes by ${name}`}
      >
        View changes
      </Anchor>
    </Text>
  )
}

/** The name of who did it leads to everything that they did. */
function Who({ actor }: { actor: AuditEvent['actor'] }) {
  const words = actorInWords(actor)
  const { slug = '' } = useParams({ strict: false })
  const { id } = actor
  if (!id) return <strong>{words}</strong>
  return (
    <Anchor
      c="inherit"
      fw={600}
      underline="hover"
      renderRoot={(props) => (
        <Link
          {...props}
          to="/$slug/audit"
          params={{ slug }}
          search={(search) => auditSearch({ ...search, actor: id })}
        />
      )}
    >
      {words}
    </Anchor>
  )
}
