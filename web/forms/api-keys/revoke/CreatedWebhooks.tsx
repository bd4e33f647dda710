import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CreatedBySomebody, webhookCreatorsQuery } from '../../../api/revoke-keys.ts'
import { webhookName } from '../../../components/webhook-events.ts'
import { paths } from '../../../paths.ts'
import styles from './InvitedUsers.module.css'
import { webhooksOf } from './revoke.ts'

interface CreatedWebhooksProps {
  slug: string
  /** The ids of the keys that are revoked. */
  keyIds: readonly string[]
}

/** Before keys are revoked: the webhooks that they have created, which stay. */
export function CreatedWebhooks({ slug, keyIds }: CreatedWebhooksProps) {
  const { data = [], isError } = useQuery(webhookCreatorsQuery(slug))
  const they = keyIds.length > 1 ? 'they' : 'it'
  if (isError) return <WebhooksNotKnown slug={slug} they={they} />
  const created = webhooksOf(data, keyIds)
  if (created.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keyboard
    <section aria-label={`Webhooks ${they} created`} className={styles['people']} tabIndex={0}>
      <Text size="sm">
        {created.length === 1 ? `1 webhook ${they} created stays` : `${created.length} webhooks ${they} created stay`}.
        Disable or delete what you do not know:{' '}
        {created.map((webhook, i) => (
          <span key={webhook.id}>
            {i > 0 && ', '}
            <Webhook slug={slug} webhook={webhook} />
          </span>
        ))}
        .
      </Text>
    </section>
  )
}

const Webhook = ({ slug, webhook }: { slug: string; webhook: CreatedBySomebody }) => (
  <>
    <Anchor component={Link} to={paths.webhook(slug, webhook.id)} inherit underline="always">
      {webhookName(webhook)}
    </Anchor>
    {!webhook.enabled && ' (disabled)'}
  </>
)

const WebhooksNotKnown = ({ slug, they }: { slug: string; they: string }) => (
  <Text size="sm" c="dimmed" role="status">
    The webhooks {they} created could not be loaded. They stay; see{' '}
    <Anchor component={Link} to={paths.webhooks(slug)} inherit underline="always">
      Webhooks
    </Anchor>
    .
  </Text>
)
