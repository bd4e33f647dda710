import { Anchor, Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import { apiKeyQuery, type KeyOfPage, revokedKeyQuery } from '../api/api-key.ts'
import type { GeneratedKey } from '../api/api-keys.ts'
import { useViewer, type Viewer } from '../api/viewer.ts'
import { KeysHeld } from '../components/KeysHeld.tsx'
import { Page } from '../components/Page.tsx'
import { PageMissing } from '../components/PageError.tsx'
import { Section } from '../components/Section.tsx'
import { RenameKey } from '../forms/api-keys/dialogs.ts'
import { PausedNotice } from '../forms/api-keys/pause/PausedNotice.tsx'
import { type LostSecret, useLostSecret } from '../forms/api-keys/secret/lost-key.ts'
import { LostKey } from '../forms/api-keys/secret/lost-key-notice.ts'
import { SecretDialog, useGenerated } from '../forms/api-keys/secret/secret-dialog.ts'
import { keysOf, paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { Access, KeyRules } from './api-key/Access.tsx'
import { Calls } from './api-key/Calls.tsx'
import { KeyActions } from './api-key/KeyActions.tsx'
import { KeyDetails } from './api-key/KeyDetails.tsx'
import { KeyGone } from './api-key/KeyGone.tsx'
import { Lineage } from './api-key/Lineage.tsx'
import { RecentUsage, Usage } from './api-key/RecentUsage.tsx'
import { Rotation } from './api-key/Rotation.tsx'

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
  const { shown, show, hide } = useGenerated()
  const page = useRef<HTMLDivElement>(null)
  const lostSecret = useLostSecret(slug)
  const gone = (
    <KeyGone id={id} organization={organization} toKeys={<ToKeys organization={organization}>All API keys</ToKeys>} />
  )
  if (!key && !wasThere) return <GoneBefore slug={slug} id={id} gone={gone} />
  return (
    <div ref={page} tabIndex={-1} className="quiet-focus">
      <Suspense>{lostSecret.lost && <LostKey slug={slug} secret={lostSecret} onGenerated={show} />}</Suspense>
      {key ? <KeyShown apiKey={key} organization={organization} onRotated={show} onLost={lostSecret.setLost} /> : gone}
      <Suspense>{shown && <SecretDialog slug={slug} {...shown} onStored={hide} returnTo={page} />}</Suspense>
    </div>
  )
}

/** One that is on record as revoked, or none that there ever was. */
function GoneBefore({ slug, id, gone }: { slug: string; id: string; gone: ReactNode }) {
  const { data: revoked } = useSuspenseQuery(revokedKeyQuery(slug, id))
  return revoked ? gone : <PageMissing />
}

interface KeyShownProps {
  apiKey: KeyOfPage
  organization: Viewer['organization']
  onRotated: (key: GeneratedKey, message: string) => void
  onLost: (lost: LostSecret) => void
}

function KeyShown({ apiKey, organization, onRotated, onLost }: KeyShownProps) {
  const { slug, name } = organization
  const [renaming, setRenaming] = useState(false)
  const rename = useRef<HTMLButtonElement>(null)
  const closeRename = () => {
    setRenaming(false)
    requestAnimationFrame(() => rename.current?.focus())
  }
  return (
    <Page
      title={apiKey.label}
      of={`API key · ${name}`}
      back={<ToKeys organization={organization}>All API keys</ToKeys>}
      actions={
        <KeyActions
          {...{ apiKey, organization, onRotated, onLost }}
          renameButton={rename}
          onRename={() => RenameKey.whenLoaded(() => setRenaming(true))}
        />
      }
    >
      {renaming && <RenameKey slug={slug} apiKey={apiKey} onClose={closeRename} />}
      <KeysHeld slug={slug} />
      <PausedNotice slug={slug} apiKey={apiKey} />
      <KeyDetails slug={slug} apiKey={apiKey} />
      <Stack>
        <Rotation slug={slug} apiKey={apiKey} />
        <Access slug={slug} apiKey={apiKey} />
        <Usage apiKey={apiKey} />
        <RecentUsage use={apiKey.recentUsage} />
        <Calls slug={slug} id={apiKey.id} />
        <KeyRules slug={slug} apiKey={apiKey} />
        <Lineage slug={slug} id={apiKey.id} />
        <KeyChanges slug={slug} id={apiKey.id} />
      </Stack>
    </Page>
  )
}

const ToKeys = ({ organization, children }: { organization: Viewer['organization']; children: string }) => (
  <Anchor
    component={Link}
    to={organization.apiKeysEnabled ? paths.apiKeys(organization.slug) : keysOf(organization)}
    inherit
    underline="always"
  >
    {children}
  </Anchor>
)

/** Leads to what the key did. */
const KeyChanges = ({ slug, id }: { slug: string; id: string }) => (
  <Section
    title="Changes"
    message="What this key, and the keys that it created, have changed: with the values before and after."
  >
    <Anchor component={Link} to={paths.apiKeyChanges(slug, id)} underline="always">
      View changes
    </Anchor>
  </Section>
)
