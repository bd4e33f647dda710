import { Checkbox, Fieldset, Input, Radio, Stack } from '@mantine/core'
import { type RefObject, useId, useState } from 'react'
import type { WebhookChanges } from '../../api/webhook-changes.ts'
import type { Webhook, WebhookEvent } from '../../api/webhooks.ts'
import { ALL_EVENTS, EVENT_GROUPS, typeOf } from '../../components/webhook-events.ts'
import { MAX_URL, MAX_WEBHOOK_DESCRIPTION } from '../../limits.ts'
import { textOf, useField } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import styles from './WebhookForm.module.css'

interface WebhookFormProps {
  title: string
  submit: string
  webhook?: Webhook
  onSubmit: (values: FormData) => Promise<void>
  onClose: () => void
  /** Where the focus goes if the button that opened this is gone. */
  returnTo?: RefObject<HTMLElement | null>
}

/** Where to, what for, and of what. A click outside does not throw away what was typed. */
export function WebhookForm({ title, submit, webhook, onSubmit, onClose, returnTo }: WebhookFormProps) {
  useReturnFocus(returnTo)
  return (
    <FormDialog
      title={title}
      submit={submit}
      onSubmit={onSubmit}
      onClose={onClose}
      size="lg"
      closeOnClickOutside={false}
    >
      <TextField
        name="url"
        label="URL"
        description="Receives a POST request for each event. Redirects are not followed."
        placeholder="https://example.com/webhooks"
        type="url"
        inputMode="url"
        defaultValue={webhook?.url}
        maxLength={MAX_URL}
        required
        data-autofocus
        autoComplete="off"
        spellCheck={false}
      />
      <TextField
        name="description"
        label="Description"
        placeholder="Optional, for example chat notifications"
        defaultValue={webhook?.description ?? ''}
        maxLength={MAX_WEBHOOK_DESCRIPTION}
        autoComplete="off"
      />
      <EventsField events={webhook?.events} />
    </FormDialog>
  )
}

/** Which events a webhook is told of: all, those of a group, or one by one. Without any given, all. */
function EventsField({ events = ALL_EVENTS }: { events?: readonly WebhookEvent[] | undefined }) {
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

/** What is asked for first: all events, or only those that are checked. */
const ALL = 'all'
const SOME = 'some'

/** A webhook as the form has it. */
export function webhookValues(values: FormData) {
  const chosen = values.getAll('events')
  return {
    url: textOf(values, 'url') ?? '',
    description: textOf(values, 'description') ?? null,
    events: ALL_EVENTS.filter((event) => values.get('which') === ALL || chosen.includes(event)) as WebhookEvent[],
  }
}

/** Only what differs from the webhook that was opened. */
export function changesOf(before: Webhook, after: ReturnType<typeof webhookValues>): WebhookChanges {
  const hasSameEvents =
    before.events.length === after.events.length && after.events.every((event) => before.events.includes(event))
  return {
    ...(after.url !== before.url && { url: after.url }),
    ...(after.description !== before.description && { description: after.description }),
    ...(!hasSameEvents && { events: after.events }),
  }
}
