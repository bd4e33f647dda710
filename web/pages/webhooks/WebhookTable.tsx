import { Anchor, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import type { ListedWebhook } from '../../api/webhooks.ts'
import { WebhookStatus } from '../../components/WebhookStatus.tsx'
import { eventsInWords } from '../../components/webhook-events.ts'
import { paths } from '../../paths.ts'
import { Table } from '../../ui/Table.tsx'
import { LastDelivery } from './LastDelivery.tsx'

/** On a phone, what a webhook is told of is on its own page. */
export function WebhookTable({ slug, webhooks }: { slug: string; webhooks: readonly ListedWebhook[] }) {
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  return (
    <Table>
      <thead>
        <tr>
          <th>URL</th>
          {!isPhone && <th>Events</th>}
          <th>Status</th>
          {!isPhone && <th>Last delivery</th>}
        </tr>
      </thead>
      <tbody>
        {webhooks.map((webhook) => {
          const [last] = webhook.deliveries.data
          return (
            <tr key={webhook.id}>
              <th scope="row" style={{ fontWeight: 400, whiteSpace: 'normal' }}>
                <Anchor component={Link} to={paths.webhook(slug, webhook.id)} inherit fw={500}>
                  {webhook.url}
                </Anchor>
                {webhook.description && (
                  <Text size="sm" c="dimmed">
                    {webhook.description}
                  </Text>
                )}
                {webhook.pausedReason && <Text size="sm">{webhook.pausedReason}</Text>}
              </th>
              {!isPhone && <td>{eventsInWords(webhook.events)}</td>}
              <td>
                <WebhookStatus webhook={webhook} />
                {isPhone && <LastDelivery delivery={last} />}
              </td>
              {!isPhone && (
                <td>
                  <LastDelivery delivery={last} />
                </td>
              )}
            </tr>
          )
        })}
      </tbody>
    </Table>
  )
}
