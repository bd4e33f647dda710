import { Checkbox, Fieldset, Input, Radio, Stack } from '@mantine/core'
import { useId, useState } from 'react'
import type { WebhookEvent } from '../../api/webhooks.ts'
import { ALL_EVENTS, EVENT_GROUPS, typeOf } from '../../components/webhook-events.ts'
import { useField } from '../../ui/Form.tsx'
import styles from './EventsField.module.css'
import { ALL, SOME } from './webhook-values.ts'

/** Which events a webhook is told of: all, those of a group, or one by one. Without any given, all. */
export function EventsField({ events = ALL_EVENTS }: { events?: readonly WebhookEvent[] | undefined }) {
  const { error } = useField('events')
  const errorId = useId()
  const [hadAll] = useState(() => ALL_EVENTS.every((event) => events.includes(event)))
  const [which, setWhich] = useState(hadAll ? ALL : SOME)
  const [chosen, setChosen] = useState<ReadonlySet<WebhookEvent>>(() => new Set(hadAll ? [] : events))
  const set = (changed: readonly WebhookEvent[], isOn: boolean) =>
    setChosen(
      (before) => new Set(isOn ? [...before, ...changed] : [...before].filter((event) => !changed.includes(event))),
    )
  return (
    <Fieldset legend="Events" {...(error && { 'aria-describedby': errorId })}>
      <Stack gap="sm">
        {[ALL, SOME].map((choice) => (
          <Radio
            key={choice}
            name="which"
            value={choice}
            label={choice === ALL ? 'All events' : 'Only these events'}
            checked={which === choice}
            onChange={() => setWhich(choice)}
          />
        ))}
        {error && <Input.Error id={errorId}>{error}</Input.Error>}
        {which === SOME &&
          EVENT_GROUPS.map((group) => <Group key={group.name} {...group} chosen={chosen} onChange={set} />)}
      </Stack>
    </Fieldset>
  )
}

interface GroupProps {
  name: string
  events: readonly { event: WebhookEvent; words: string }[]
  chosen: ReadonlySet<WebhookEvent>
  onChange: (events: readonly WebhookEvent[], isOn: boolean) => void
}

/** The box of a group checks or clears all of it; it is half checked where only some are. */
function Group({ name, events, chosen, onChange }: GroupProps) {
  const all = events.map(({ event }) => event)
  const count = all.filter((event) => chosen.has(event)).length
  return (
    <fieldset aria-label={name} className={styles['group']}>
      <Checkbox
        label={name}
        fw={600}
        checked={count === all.length}
        indeterminate={count > 0 && count < all.length}
        onChange={({ currentTarget }) => onChange(all, currentTarget.checked)}
      />
      <div className={styles['events']}>
        {events.map(({ event, words }) => (
          <Checkbox
            key={event}
            name="events"
            value={event}
            label={words}
            description={<span className="mono">{typeOf(event)}</span>}
            checked={chosen.has(event)}
            onChange={({ currentTarget }) => onChange([event], currentTarget.checked)}
          />
        ))}
      </div>
    </fieldset>
  )
}
