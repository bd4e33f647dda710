import { Anchor, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiError } from '../../api/client.ts'
import { type ListedWebhook, webhooksQuery } from '../../api/webhooks.ts'
import { paths } from '../../paths.ts'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'

/** How many webhooks there are, whether one of them needs attention, and the way to them. */
export default function Webhooks({ slug }: { slug: string }) {
  const { data: webhooks, error } = useQuery(webhooksQuery(slug))
  if (!webhooks) return error instanceof ApiError ? <ErrorAlert error={error} /> : <Skeleton height={64} />
  return (
    <>
      <Text>{summaryOf(webhooks)}</Text>
      <Text size="sm" mt="xs">
        <Anchor component={Link} to={paths.webhooks(slug)}>
          {webhooks.length === 0 ? 'Add a webhook' : 'View webhooks'}
        </Anchor>
      </Text>
    </>
  )
}

function summaryOf(webhooks: readonly ListedWebhook[]): string {
  if (webhooks.length === 0) return 'No webhooks yet.'
  const failing = webhooks.filter(({ state }) => state === 'FAILING').length
  const paused = webhooks.filter(({ pausedReason }) => pausedReason !== null).length
  const parts = [
    `${webhooks.length} ${webhooks.length === 1 ? 'webhook' : 'webhooks'}`,
    failing > 0 && `${failing} failing`,
    paused > 0 && `${paused} paused`,
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}
