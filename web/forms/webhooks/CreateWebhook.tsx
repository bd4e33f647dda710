import { useQueryClient } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { type CreatedWebhook, createWebhook } from '../../api/webhook-changes.ts'
import { WebhookForm, webhookValues } from './WebhookForm.tsx'
import { loadWebhookSecret, withAdvice } from './webhook-secret.ts'

interface CreateWebhookProps {
  slug: string
  onCreated: (created: CreatedWebhook) => void
  onClose: () => void
  returnTo: RefObject<HTMLElement | null>
}

/** Creates a webhook; its secret is for the caller to show. */
export default function CreateWebhook({ slug, onCreated, onClose, returnTo }: CreateWebhookProps) {
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['webhooks', slug] })
  const create = async (values: FormData) => {
    await loadWebhookSecret()
    try {
      const created = await createWebhook(slug, webhookValues(values))
      onClose()
      onCreated(created)
    } catch (error) {
      throw withAdvice(error, 'If the list has the new webhook, rotate its secret to get one.')
    } finally {
      void refresh()
    }
  }
  return (
    <WebhookForm title="Add webhook" submit="Add webhook" onSubmit={create} onClose={onClose} returnTo={returnTo} />
  )
}
