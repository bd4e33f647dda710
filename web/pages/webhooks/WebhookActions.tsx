import { Button } from '@mantine/core'
import { Suspense, useState } from 'react'
import type { Webhook } from '../../api/webhooks.ts'
import { useWebhookActions } from '../../forms/webhooks/use-webhook-actions.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'

const DeleteWebhook = lazyDialog(() => import('../../forms/webhooks/DeleteWebhook.tsx'))
const EditWebhook = lazyDialog(() => import('../../forms/webhooks/EditWebhook.tsx'))

/**
 * What an Admin can do with a webhook. One that the portal has paused is resumed where it says why. No button is ever
 * disabled: it would lose the focus.
 */
export function WebhookActions({ slug, webhook }: { slug: string; webhook: Webhook }) {
  const [asked, setAsked] = useState<'delete' | 'edit'>()
  const { setEnabled, pending } = useWebhookActions(slug)
  const dialog = { slug, webhook, onClose: () => setAsked(undefined) }
  const { enabled } = webhook
  return (
    <>
      <Button variant="default" onClick={() => setAsked('delete')}>
        Delete
      </Button>
      {!webhook.pausedReason && (
        <Button
          variant="default"
          data-loading={pending || undefined}
          aria-disabled={pending}
          onClick={() => setEnabled(webhook, !enabled, enabled ? 'disabled' : 'enabled')}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
      )}
      <Button onClick={() => setAsked('edit')}>Edit</Button>
      <Suspense>
        {asked === 'delete' && <DeleteWebhook {...dialog} />}
        {asked === 'edit' && <EditWebhook {...dialog} />}
      </Suspense>
    </>
  )
}
