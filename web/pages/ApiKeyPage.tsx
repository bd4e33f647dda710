import { Anchor, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import { apiKeyQuery, type KeyOfPage } from '../api/api-key.ts'
import type { GeneratedKey } from '../api/api-keys.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { KeysHeld } from '../components/KeysHeld.tsx'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageMissing.tsx'
import { type LostSecret, useLostSecret } from '../forms/api-keys/secret/lost-key.ts'
import { LostKey } from '../forms/api-keys/secret/lost-key-notice.ts'
import { SecretDialog } from '../forms/api-keys/secret/secret-dialog.ts'
import { keysOf, paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { KeyActions } from './api-key/KeyActions.tsx'
import { KeyChanges } from './api-key/KeyChanges.tsx'
import { KeyDetails } from './api-key/KeyDetails.tsx'
import { KeyRules } from './api-key/KeyRules.tsx'
import { Lineage } from './api-key/Lineage.tsx'
import { RecentUsage } from './api-key/RecentUsage.tsx'
import { Rotation } from './api-key/Rotation.tsx'
import { Usage } from './api-key/Usage.tsx'

/** All that is known of one key; for the Admins, whether the feature is on or off (K11). */
export function ApiKeyPage() {
  const { id } = useParams({ from: '/signed-in/$slug/api-keys/$id' })
  const { role, organization } = useViewer()
  if (role === 'ADMIN') return <Key key={`${organization.id} ${id}`} id={id} organization={organization} />
  return (
    <Page title="API key" of={organization.name}>
      <Empty title="This page is for Admins">Only Admins of {organization.name} can view API keys.</Empty>
    </Page>
  )
}

/** Should the key go while a new secret is shown, the secret stays until it is stored. */
function Key({ id, organization }: { id: string; organization: Viewer['organization'] }) {
  const { slug } = organization
  const { data: key } = useSuspenseQuery(apiKeyQuery(slug, id))
  const [wasThere] = useState(key !== null)
  const [rotated, setRotated] = useState<{ generated: GeneratedKey; message: string }>()
  const page = useRef<HTMLDivElement>(null)
  const lostSecret = useLostSecret(slug)
  const showRotated = (generated: GeneratedKey, message: string) => setRotated({ generated, message })
  if (!key && !wasThere) return <PageMissing />
  return (
    <div ref={page} tabIndex={-1} className="quiet-focus">
      <Suspense>{lostSecret.lost && <LostKey slug={slug} secret={lostSecret} onGenerated={showRotated} />}</Suspense>
      {key ? (
        <KeyShown apiKey={key} organization={organization} onRotated={showRotated} onLost={lostSecret.setLost} />
      ) : (
        <KeyGone organization={organization} />
      )}
      <Suspense>
        {rotated && <SecretDialog slug={slug} {...rotated} onStored={() => setRotated(undefined)} returnTo={page} />}
      </Suspense>
    </div>
  )
}

interface KeyShownProps {
  apiKey: KeyOfPage
  organization: Viewer['organization']
  onRotated: (key: GeneratedKey, message: string) => void
  onLost: (lost: LostSecret) => void
}

function KeyShown({ apiKey, organization, onRotated, onLost }: KeyShownProps) {
  const { slug, name } = organization
  return (
    <Page
      title={apiKey.label}
      of={`API key · ${name}`}
      actions={<KeyActions apiKey={apiKey} organization={organization} onRotated={onRotated} onLost={onLost} />}
    >
      <Text size="sm" mb="md">
        <ToKeys organization={organization}>All API keys</ToKeys>
      </Text>
      <KeysHeld slug={slug} />
      <KeyDetails slug={slug} apiKey={apiKey} />
      <Stack>
        <Rotation slug={slug} apiKey={apiKey} />
        <Usage apiKey={apiKey} />
        <RecentUsage use={apiKey.recentUsage} />
        <KeyRules slug={slug} apiKey={apiKey} />
        <Lineage slug={slug} id={apiKey.id} />
        <KeyChanges slug={slug} id={apiKey.id} />
      </Stack>
    </Page>
  )
}

/** In place of a key that went while somebody looked at it. */
function KeyGone({ organization }: { organization: Viewer['organization'] }) {
  return (
    <Page title="This key no longer exists" of={organization.name}>
      <Empty title="Calls with it are refused" action={<ToKeys organization={organization}>All API keys</ToKeys>}>
        It was revoked, or removed after it expired. See the{' '}
        <Anchor component={Link} to={paths.audit(organization.slug)} inherit underline="always">
          audit log
        </Anchor>{' '}
        for details.
      </Empty>
    </Page>
  )
}

const ToKeys = ({ organization, children }: { organization: Viewer['organization']; children: string }) => (
  <Anchor component={Link} to={keysOf(organization)} inherit underline="always">
    {children}
  </Anchor>
)
