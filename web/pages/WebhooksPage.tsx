import { Anchor, Button, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import { mustVerifyEmail, useViewer, type Viewer } from '../api/viewer.ts'
import { type CreatedWebhook, webhooksQuery } from '../api/webhooks.ts'
import { Page } from '../components/Page.tsx'
import { WhenVerified } from '../components/WhenVerified.tsx'
import { WebhookSecret } from '../forms/webhooks/secret-dialog.ts'
import { documents, paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { ForAdmins } from './webhooks/ForAdmins.tsx'
import { WebhookTable } from './webhooks/WebhookTable.tsx'

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
    <Button ref={add} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  )
  return (
    <Page title="Webhooks" of={name} actions={addButton}>
      <Text size="sm" mb="md">
        <Anchor component={Link} to={paths.settings(slug)} inherit underline="always">
          Settings
        </Anchor>
      </Text>
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
