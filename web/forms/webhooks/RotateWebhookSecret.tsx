import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { type CreatedWebhook, rotateWebhookSecret, type Webhook } from '../../api/webhooks.ts'
import { webhookName } from '../../components/webhook-name.ts'
import { useField } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { bothUntil } from './both-until.ts'
import { withAdvice } from './lost-secret.ts'
import { loadWebhookSecret } from './secret-dialog.ts'
import { useWebhookActions } from './use-webhook-actions.ts'

const SECOND_MS = 1_000
const OVERLAPS = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 1 day' },
  { value: '604800', label: 'In 7 days' },
]
const DEFAULT = '86400'

interface RotateWebhookSecretProps {
  slug: string
  webhook: Pick<Webhook, 'id' | 'url' | 'description'>
  onRotated: (created: CreatedWebhook) => void
  onClose: () => void
}

/** A new secret; deliveries are signed with both for as long as it takes to give the receiver the new one. */
export default function RotateWebhookSecret({ slug, webhook, onRotated, onClose }: RotateWebhookSecretProps) {
  const { refresh } = useWebhookActions(slug)
  const [overlap, setOverlap] = useState(DEFAULT)
  useReturnFocus()

  const rotate = async () => {
    await loadWebhookSecret()
    try {
      const created = await rotateWebhookSecret(slug, webhook.id, Number(overlap))
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
        {overlap === '0'
          ? 'A receiver that has only the old secret refuses everything from now on.'
          : bothUntil(new Date(Date.now() + Number(overlap) * SECOND_MS).toISOString())}
      </Text>
    </FormDialog>
  )
}

const Overlap = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <NativeSelect
    {...useField('overlapSeconds')}
    label="Expiration of the old secret"
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    data={OVERLAPS}
  />
)
