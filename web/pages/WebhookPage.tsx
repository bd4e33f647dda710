import { Alert, Anchor, Button, Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import { useViewer, type Viewer } from '../api/viewer.ts'
import type { CreatedWebhook } from '../api/webhook-changes.ts'
import { type Webhook, webhookQuery } from '../api/webhooks.ts'
import { DescriptionItem, DescriptionList } from '../components/DescriptionList.tsx'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageError.tsx'
import { WebhookStatus } from '../components/WebhookStatus.tsx'
import { eventsInWords, typeOf, webhookName } from '../components/webhook-events.ts'
import { useWebhookActions } from '../forms/webhooks/use-webhook-actions.ts'
import { WebhookSecret } from '../forms/webhooks/webhook-secret.ts'
import { paths } from '../paths.ts'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { Time } from '../ui/Time.tsx'
import { Deliveries } from './webhooks/Deliveries.tsx'
import { ForAdmins } from './webhooks/ForAdmins.tsx'
import { Signature } from './webhooks/Signature.tsx'
import { TestEvent } from './webhooks/TestEvent.tsx'

/** One webhook: what it is told of, whether that works, and everything that was sent to it; for the Admins. */
export function WebhookPage() {
  const { id } = useParams({ from: '/signed-in/$slug/settings/webhooks/$id' })
  const { role, organization } = useViewer()
  if (role !== 'ADMIN') return <ForAdmins organization={organization} />
  return <WebhookShown key={`${organization.id} ${id}`} id={id} organization={organization} />
}

/** Should the webhook go while a new secret is shown, the secret stays until it is stored. */
function WebhookShown({ id, organization: { slug, name } }: { id: string; organization: Viewer['organization'] }) {
  const { data: webhook } = useSuspenseQuery(webhookQuery(slug, id))
  const [rotated, setRotated] = useState<CreatedWebhook>()
  const page = useRef<HTMLDivElement>(null)
  return (
    <div ref={page} tabIndex={-1} className="quiet-focus">
      {webhook ? (
        <Page
          title={webhookName(webhook)}
          of={`Webhook · ${name}`}
          back={
            <Anchor component={Link} to={paths.webhooks(slug)} inherit underline="always">
              All webhooks
            </Anchor>
          }
          actions={<WebhookActions slug={slug} webhook={webhook} />}
        >
          <WebhookNotice slug={slug} webhook={webhook} />
          <WebhookDetails webhook={webhook} />
          <Stack>
            <TestEvent slug={slug} id={id} />
            <Deliveries slug={slug} webhook={webhook} />
            <Signature slug={slug} webhook={webhook} onRotated={setRotated} />
          </Stack>
        </Page>
      ) : (
        <PageMissing />
      )}
      <Suspense>
        {rotated && (
          <WebhookSecret created={rotated} isRotated onStored={() => setRotated(undefined)} returnTo={page} />
        )}
      </Suspense>
    </div>
  )
}

/** Where a webhook is sent, of what, and since when. */
function WebhookDetails({ webhook }: { webhook: Webhook }) {
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

const NOT_LATER = 'Events from now on are not sent later. Events that are already pending are.'

/** What somebody has to know before anything else: that it is paused, and why, that it is disabled, or that it fails. */
function WebhookNotice({ slug, webhook }: { slug: string; webhook: Webhook }) {
  const { setEnabled, pending } = useWebhookActions(slug)
  const { enabled, state, pausedReason } = webhook
  return (
    <>
      {pausedReason && (
        <Alert color="warning" role="status" mb="md">
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
        <Alert color="neutral" role="status" mb="md">
          <strong>This webhook is disabled.</strong> {NOT_LATER}
        </Alert>
      )}
      {state === 'FAILING' && (
        <Alert color="warning" role="status" mb="md">
          <strong>Deliveries fail.</strong> Each event is retried for three days. If nothing is accepted in that time,
          the webhook is paused. The log below says what went wrong.
        </Alert>
      )}
    </>
  )
}

const DeleteWebhook = lazyDialog(() => import('../forms/webhooks/DeleteWebhook.tsx'))
const EditWebhook = lazyDialog(() => import('../forms/webhooks/EditWebhook.tsx'))

/**
 * What an Admin can do with a webhook. One that the portal has paused is resumed where it says why. No button is ever
 * disabled: it would lose the focus.
 */
function WebhookActions({ slug, webhook }: { slug: string; webhook: Webhook }) {
  const [dialog, setDialog] = useState<'delete' | 'edit'>()
  const { setEnabled, pending } = useWebhookActions(slug)
  const dialogProps = { slug, webhook, onClose: () => setDialog(undefined) }
  const { enabled } = webhook
  return (
    <>
      <Button variant="default" onClick={() => setDialog('delete')}>
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
      <Button onClick={() => setDialog('edit')}>Edit</Button>
      <Suspense>
        {dialog === 'delete' && <DeleteWebhook {...dialogProps} />}
        {dialog === 'edit' && <EditWebhook {...dialogProps} />}
      </Suspense>
    </>
  )
}
