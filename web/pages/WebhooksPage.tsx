import { Anchor, Button, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import { mustVerifyEmail, useViewer, type Viewer } from '../api/viewer.ts'
import type { CreatedWebhook } from '../api/webhook-changes.ts'
import { type ListedWebhook, webhooksQuery } from '../api/webhooks.ts'
import { Page } from '../components/Page.tsx'
import { WebhookStatus } from '../components/WebhookStatus.tsx'
import { WhenVerified } from '../components/WhenVerified.tsx'
import { eventsInWords } from '../components/webhook-events.ts'
import { WebhookSecret } from '../forms/webhooks/webhook-secret.ts'
import { documents, paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { Icon } from '../ui/Icon.tsx'
import { IconPlus } from '../ui/icons/icons.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { SortHead } from '../ui/SortHead.tsx'
import { Table } from '../ui/Table.tsx'
import { Time } from '../ui/Time.tsx'
import { DELIVERY_STATES } from './webhooks/delivery-search.ts'
import { ForAdmins } from './webhooks/ForAdmins.tsx'
import { sortWebhooks } from './webhooks/sort-webhooks.ts'

const CreateWebhook = lazyDialog(() => import('../forms/webhooks/CreateWebhook.tsx'))

/** Who is told of what happens in the organization; for the Admins. */
export function WebhooksPage() {
  const viewer = useViewer()
  const { role, organization } = viewer
  if (role !== 'ADMIN') return <ForAdmins organization={organization} />
  return <Webhooks key={organization.id} organization={organization} mayAdd={!mustVerifyEmail(viewer)} />
}

interface WebhooksProps {
  organization: Viewer['organization']
  mayAdd: boolean
}

function Webhooks({ organization: { slug, name }, mayAdd }: WebhooksProps) {
  const { data: webhooks } = useSuspenseQuery(webhooksQuery(slug))
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  const [created, setCreated] = useState<CreatedWebhook>()
  const add = useRef<HTMLButtonElement>(null)
  const toCreated = (id: string) => {
    setCreated(undefined)
    void navigate({ href: paths.webhook(slug, id), ignoreBlocker: true }) // the secret is stored
  }
  // In one place whether the list is empty or not: a button that moved would lose the focus that a dialog returned.
  const addButton = mayAdd && (
    <Button ref={add} leftSection={<Icon of={IconPlus} />} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      of={name}
      back={
        <Anchor component={Link} to={paths.settings(slug)} inherit underline="always">
          Settings
        </Anchor>
      }
      actions={addButton}
    >
      <WhenVerified />
      {webhooks.length > 0 ? (
        <WebhookTable slug={slug} webhooks={webhooks} />
      ) : (
        <Empty title="No webhooks yet">
          A webhook tells one of your servers what happens here: a device goes offline, a key is revoked, a user is
          removed. Each event is a signed POST request, which is retried for three days.{' '}
          <Anchor href={documents.webhooks} inherit underline="always">
            How webhooks work
          </Anchor>
        </Empty>
      )}
      <Suspense>
        {isAdding && (
          <CreateWebhook slug={slug} onCreated={setCreated} onClose={() => setAdding(false)} returnTo={add} />
        )}
        {created && <WebhookSecret created={created} onStored={() => toCreated(created.webhook.id)} returnTo={add} />}
      </Suspense>
    </Page>
  )
}

/** On a phone, what a webhook is told of is on its own page. */
function WebhookTable({ slug, webhooks }: { slug: string; webhooks: readonly ListedWebhook[] }) {
  const isPhone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
  const { sort } = useSearch({ from: '/signed-in/$slug/settings/webhooks' })
  return (
    <Table>
      <thead>
        <tr>
          <SortHead by="url" sort={sort}>
            URL
          </SortHead>
          {!isPhone && <th scope="col">Events</th>}
          <SortHead by="status" sort={sort}>
            Status
          </SortHead>
          {!isPhone && (
            <SortHead by="delivery" sort={sort} isTime>
              Last delivery
            </SortHead>
          )}
        </tr>
      </thead>
      <tbody>
        {sortWebhooks(webhooks, sort).map((webhook) => {
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

/** What became of the newest event, and when. */
function LastDelivery({ delivery }: { delivery: ListedWebhook['deliveries']['data'][number] | undefined }) {
  if (!delivery)
    return (
      <Text size="sm" c="dimmed">
        None yet
      </Text>
    )
  return (
    <Text size="sm" c="dimmed">
      {DELIVERY_STATES[delivery.state].words} <Time at={delivery.lastAttemptAt ?? delivery.createdAt} />
    </Text>
  )
}
