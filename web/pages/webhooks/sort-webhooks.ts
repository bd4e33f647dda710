import type { ListedWebhook, WebhookSort } from '../../api/webhooks.ts'
import { statusOf } from '../../components/WebhookStatus.tsx'

const { compare } = new Intl.Collator(undefined, { numeric: true })

const VALUES = {
  url: ({ url }: ListedWebhook) => url,
  status: (webhook: ListedWebhook) => statusOf(webhook).words,
  delivery: ({ deliveries }: ListedWebhook) => deliveries.data[0]?.lastAttemptAt ?? deliveries.data[0]?.createdAt ?? '',
}

/** In the page: an organization has few. Without an order as they come, the newest first. */
export function sortWebhooks(webhooks: readonly ListedWebhook[], sort: WebhookSort | undefined) {
  if (!sort) return webhooks
  const shown = VALUES[sort.replace('-', '') as keyof typeof VALUES] // by the type of sort
  const sorted = webhooks.toSorted((a, b) => compare(shown(a), shown(b)))
  return sort.startsWith('-') ? sorted.toReversed() : sorted
}
