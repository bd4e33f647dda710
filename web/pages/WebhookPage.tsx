import { Anchor, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { type CreatedWebhook, webhookQuery } from '../api/webhooks.ts'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageMissing.tsx'
import { webhookName } from '../components/webhook-name.ts'
import { WebhookSecret } from '../forms/webhooks/secret-dialog.ts'
import { paths } from '../paths.ts'
import { Deliveries } from './webhooks/Deliveries.tsx'
import { ForAdmins } from './webhooks/ForAdmins.tsx'
import { Signature } from './webhooks/Signature.tsx'
import { TestEvent } from './webhooks/TestEvent.tsx'
import { WebhookActions } from './webhooks/WebhookActions.tsx'
import { WebhookDetails } from './webhooks/WebhookDetails.tsx'
import { WebhookNotice } from './webhooks/WebhookNotice.tsx'

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
          actions={<WebhookActions slug={slug} webhook={webhook} />}
        >
          <Text size="sm" mb="md">
            <Anchor component={Link} to={paths.webhooks(slug)} inherit underline="always">
              All webhooks
            </Anchor>
          </Text>
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
