import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { type CreatedWebhook, rotateWebhookSecret } from '../../api/webhook-changes.ts'
import type { Webhook } from '../../api/webhooks.ts'
import { DEFAULT_OVERLAP, OVERLAP_CHOICES } from '../../components/lengths.ts'
import { bothUntil, webhookName } from '../../components/webhook-events.ts'
import { useField } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { useWebhookActions } from './use-webhook-actions.ts'
import { loadWebhookSecret, withAdvice } from './webhook-secret.ts'

const SECOND_MS = 1_000

interface RotateWebhookSecretProps {
  slug: string
  webhook: Pick<Webhook, 'id' | 'url' | 'description'>
  onRotated: (created: CreatedWebhook) => void
  onClose: () => void
}

/** A new secret; deliveries are signed with both for as long as it takes to give the receiver the new one. */
export default function RotateWebhookSecret({ slug, webhook, onRotated, onClose }: RotateWebhookSecretProps) {
  const { refresh } = useWebhookActions(slug)
  const [overlap, setOverlap] = useState(DEFAULT_OVERLAP)
  useReturnFocus()

  const rotate = async () => {
    await loadWebhookSecret()
    try {
      const created = await rotateWebhookSecret(slug, webhook.id, overlap)
      onClose()
      onRotated(created)
    } catch (error) {
      throw withAdvice(error, 'If the secret has changed, rotate it again to get one.')
    } finally {
      void refresh()
    }
  }

  return (
    <FormDialog title="Rotate the secret?" submit="Rotate secret" onSubmit={rotate} onClose={onClose} focusesCancel>
      <Text>
        <b>{webhookName(webhook)}</b> gets a new secret, which is shown once.
      </Text>
      <Overlap value={overlap} onChange={setOverlap} />
      <Text role="status">
        {overlap === 0
          ? 'Receivers that only have the old secret refuse every delivery from now on.'
          : bothUntil(new Date(Date.now() + overlap * SECOND_MS).toISOString())}
      </Text>
    </FormDialog>
  )
}

const Overlap = ({ value, onChange }: { value: number; onChange: (seconds: number) => void }) => (
  <NativeSelect
    {...useField('overlapSeconds')}
    label="Expiration of the old secret"
    value={String(value)}
    onChange={(event) => onChange(Number(event.currentTarget.value))}
    data={OVERLAP_CHOICES}
  />
)
