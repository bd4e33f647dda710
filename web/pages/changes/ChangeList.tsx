import { Text } from '@mantine/core'
import type { KeyChange } from '../../api/key-changes.ts'
import { Time } from '../../ui/Time.tsx'
import styles from '../audit/EventList.module.css'
import { FieldChanges } from '../audit/FieldChanges.tsx'
import { inWords } from '../audit/words.ts'

/** What the key with this id, or a key that it created, has changed: a sentence each, and the fields. */
export function ChangeList({ id, events }: { id: string; events: readonly KeyChange[] }) {
  return (
    <ul className="plain-list" aria-label="Changes">
      {events.map((event) => (
        <Change key={event.id} event={event} isItself={event.actor.id === id} />
      ))}
    </ul>
  )
}

function Change({ event, isItself }: { event: KeyChange; isItself: boolean }) {
  const { message, subject } = inWords(event)
  return (
    <li className={styles['event']}>
      <div>
        <Text>
          <strong>{isItself ? 'This key' : `The key ${event.actor.name}, created by this key,`}</strong> {message}{' '}
          {subject && <strong>{subject}</strong>}
        </Text>
        {event.changes && <FieldChanges changes={event.changes} />}
      </div>
      <Text size="sm" c="dimmed">
        {event.ip && <span className="nowrap">from {event.ip} · </span>}
        <Time at={event.at} />
      </Text>
    </li>
  )
}
