import type { RefObject } from 'react'
import type { Webhook } from '../../api/webhooks.ts'
import { MAX_URL, MAX_WEBHOOK_DESCRIPTION } from '../../limits.ts'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { EventsField } from './EventsField.tsx'

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
