import { Alert, Button } from '@mantine/core'
import type { Webhook } from '../../api/webhooks.ts'
import { useWebhookActions } from '../../forms/webhooks/use-webhook-actions.ts'

/** What somebody has to know before anything else: that it is paused, and why, or that it fails. */
export function WebhookNotice({ slug, webhook }: { slug: string; webhook: Webhook }) {
  const { setEnabled, pending } = useWebhookActions(slug)
  const { state, pausedReason } = webhook
  return (
    <>
      {pausedReason && (
        <Alert color="yellow" role="status" mb="md">
          <strong>This webhook is paused.</strong> {pausedReason}
          <Button
            size="compact-sm"
            variant="default"
            display="block"
            mt="xs"
            loading={pending}
            onClick={() => setEnabled(webhook, true, 'resumed')}
          >
            Resume
          </Button>
        </Alert>
      )}
      {state === 'FAILING' && (
        <Alert color="yellow" role="status" mb="md">
          <strong>Deliveries fail.</strong> Each event is retried for three days. If nothing is accepted in that time,
          the webhook is paused. The log below says what went wrong.
        </Alert>
      )}
    </>
  )
}
