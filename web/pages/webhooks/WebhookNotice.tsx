import { Alert, Button } from '@mantine/core'
import type { Webhook } from '../../api/webhooks.ts'
import { useWebhookActions } from '../../forms/webhooks/use-webhook-actions.ts'

const NOT_LATER = 'What happens meanwhile is not sent later; what was pending before is.'

/** What somebody has to know before anything else: that it is paused, and why, that it is disabled, or that it fails. */
export function WebhookNotice({ slug, webhook }: { slug: string; webhook: Webhook }) {
  const { setEnabled, pending } = useWebhookActions(slug)
  const { enabled, state, pausedReason } = webhook
  return (
    <>
      {pausedReason && (
        <Alert color="yellow" role="status" mb="md">
          <strong>This webhook is paused.</strong> {pausedReason} {NOT_LATER}
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
      {!enabled && !pausedReason && (
        <Alert color="gray" role="status" mb="md">
          <strong>This webhook is disabled.</strong> {NOT_LATER}
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
