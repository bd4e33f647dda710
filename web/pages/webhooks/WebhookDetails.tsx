import type { Webhook } from '../../api/webhooks.ts'
import { DescriptionItem, DescriptionList } from '../../components/DescriptionList.tsx'
import { WebhookStatus } from '../../components/WebhookStatus.tsx'
import { eventsInWords, typeOf } from '../../components/webhook-events.ts'
import { Time } from '../../ui/Time.tsx'

/** Where a webhook is sent, of what, and since when. */
export function WebhookDetails({ webhook }: { webhook: Webhook }) {
  return (
    <DescriptionList>
      <DescriptionItem name="Status">
        <WebhookStatus webhook={webhook} />
      </DescriptionItem>
      <DescriptionItem name="Created">
        <Time at={webhook.createdAt} />
      </DescriptionItem>
      <DescriptionItem name="Created by">
        {webhook.createdBy.kind === 'API_KEY' && 'key '}
        {webhook.createdBy.name}
      </DescriptionItem>
      <DescriptionItem name="URL" wide>
        <span className="mono">{webhook.url}</span>
      </DescriptionItem>
      <DescriptionItem name="Events" wide>
        <span title={webhook.events.map(typeOf).join('\n')}>{eventsInWords(webhook.events)}</span>
      </DescriptionItem>
      <DescriptionItem name="ID" wide>
        <span className="mono">{webhook.id}</span>
      </DescriptionItem>
    </DescriptionList>
  )
}
