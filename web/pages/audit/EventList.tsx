import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { type AuditEvent, callSizeQuery } from '../../api/audit.ts'
import { paths } from '../../paths.ts'
import { Time } from '../../ui/Time.tsx'
import { auditSearch } from './audit-search.ts'
import { detailsOf } from './details.ts'
import styles from './EventList.module.css'
import { FieldChanges } from './FieldChanges.tsx'
import { groupEvents, verbOf } from './group-events.ts'
import { actorInWords, inWords } from './words.ts'

interface EventListProps {
  events: readonly AuditEvent[]
  /** Where what was updated is shown at once, with its values before and after. */
  showsUpdates?: boolean
}

/** What happened, a sentence each; what one call did to many devices is one sentence, which opens. */
export function EventList({ events, showsUpdates = false }: EventListProps) {
  return (
    <ul className="plain-list" aria-label="Events">
      {groupEvents(events).map(([event, ...others]) =>
        event && others.length > 0 ? (
          <OneCall key={event.id} events={[event, ...others]} isLast={others.at(-1) === events.at(-1)} />
        ) : (
          event && <Event key={event.id} event={event} isOpen={showsUpdates && event.action.endsWith('_UPDATED')} />
        ),
      )}
    </ul>
  )
}

interface OneCallProps {
  events: readonly [AuditEvent, ...AuditEvent[]]
  /** Whether the list ends with it, so that there may be more of it. */
  isLast: boolean
}

function OneCall({ events, isLast }: OneCallProps) {
  const [event] = events
  const { slug = '' } = useParams({ strict: false })
  const [isOpen, setOpen] = useState(false)
  const { data: count = events.length } = useQuery({ ...callSizeQuery(slug, event), enabled: isLast })
  return (
    <li className={styles['event']}>
      <div>
        <Text>
          <Who actor={event.actor} /> {verbOf(event)} <strong>{count.toLocaleString()} devices</strong>
        </Text>
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <Text component="summary" size="sm" c="dimmed">
            View each
          </Text>
          {isOpen && (
            <ul className="plain-list" aria-label={`The ${count.toLocaleString()} devices`}>
              {events.map((each) => (
                <Event key={each.id} event={each} isOpen={false} />
              ))}
            </ul>
          )}
        </details>
      </div>
      <When event={event} />
    </li>
  )
}

const When = ({ event: { ip, at } }: { event: AuditEvent }) => (
  <Text size="sm" c="dimmed" flex="none">
    {ip && <span className="nowrap">from {ip} · </span>}
    <Time at={at} />
  </Text>
)

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
      <When event={event} />
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
