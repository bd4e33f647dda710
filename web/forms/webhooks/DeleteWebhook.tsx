import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Webhook } from '../../api/webhooks.ts'
import { webhookName } from '../../components/webhook-events.ts'
import { paths } from '../../paths.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { useWebhookActions } from './use-webhook-actions.ts'

interface DeleteWebhookProps {
  slug: string
  webhook: Pick<Webhook, 'id' | 'url' | 'description'>
  onClose: () => void
}

/** Asks, deletes, and goes to the list. */
export default function DeleteWebhook({ slug, webhook, onClose }: DeleteWebhookProps) {
  useReturnFocus()
  const navigate = useNavigate()
  const { remove } = useWebhookActions(slug)
  const name = webhookName(webhook)
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete webhook"
      onConfirm={() => remove(webhook, () => navigate({ href: paths.webhooks(slug) }))}
      onClose={onClose}
    >
      <Text>
        Nothing more is sent to <b>{webhook.url}</b>, and its secret and its log of deliveries are permanently deleted.
        To keep them, disable the webhook instead.
      </Text>
    </ConfirmDialog>
  )
}
