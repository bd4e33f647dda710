import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteWebhook, updateWebhook } from '../../api/webhook-changes.ts'
import type { Webhook } from '../../api/webhooks.ts'
import { webhookName } from '../../components/webhook-events.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'

type Named = Pick<Webhook, 'id' | 'url' | 'description'>

/** What an Admin can do with a webhook at once; lists and pages that show it follow. */
export function useWebhookActions(slug: string) {
  const queryClient = useQueryClient()
  const [pending, setPending] = useState(false)
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['webhooks', slug] })

  return {
    refresh,
    pending,
    /** `done` is what became of it: enabled, disabled, resumed. */
    setEnabled: async (webhook: Named, enabled: boolean, done: string) => {
      if (pending) return
      setPending(true)
      try {
        await updateWebhook(slug, webhook.id, { enabled })
        await refresh()
        notifyDone(`${webhookName(webhook)} is ${done}.`)
      } catch (error) {
        if (error instanceof Error) notifyError(error)
      } finally {
        setPending(false)
      }
    },
    /** Leaves the webhook's own page first, so that it does not ask for what is gone. */
    remove: async (webhook: Named, leave: () => Promise<void>) => {
      await deleteWebhook(slug, webhook.id)
      await leave()
      queryClient.removeQueries({ queryKey: ['webhooks', slug, 'one', webhook.id] })
      await refresh()
      notifyDone(`${webhookName(webhook)} was deleted.`)
    },
  }
}
