import { useState } from 'react'
import { updateWebhook } from '../../api/webhook-changes.ts'
import type { Webhook } from '../../api/webhooks.ts'
import { webhookName } from '../../components/webhook-events.ts'
import { notifyDone } from '../../ui/notify.ts'
import { useWebhookActions } from './use-webhook-actions.ts'
import { changesOf, WebhookForm, webhookValues } from './WebhookForm.tsx'

interface EditWebhookProps {
  slug: string
  webhook: Webhook
  onClose: () => void
}

/** Sends only what was changed in the form, so that what a script changes meanwhile stays. */
export default function EditWebhook({ slug, webhook, onClose }: EditWebhookProps) {
  const [before] = useState(webhook)
  const { refresh } = useWebhookActions(slug)
  const save = async (values: FormData) => {
    const changes = changesOf(before, webhookValues(values))
    if (Object.keys(changes).length > 0) {
      const updated = await updateWebhook(slug, before.id, changes)
      notifyDone(`${webhookName(updated)} was updated.`)
    }
    onClose()
    await refresh()
  }
  return <WebhookForm title="Edit webhook" submit="Save" webhook={before} onSubmit={save} onClose={onClose} />
}
