import { Drawer } from '@mantine/core'
import { useMatch, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { GeneratedKey, ListedKey } from '../api/api-keys.ts'
import { showsApiKeys, useViewer, type Viewer } from '../api/viewer.ts'
import { paths } from '../paths.ts'
import { GenerateKey } from './api-keys/GenerateKey.tsx'
import { KeyList } from './api-keys/KeyList.tsx'
import { RevokeKey } from './api-keys/RevokeKey.tsx'
import { SecretDialog } from './api-keys/SecretDialog.tsx'
import { UsageRules } from './api-keys/UsageRules.tsx'
import { useReturnFocus } from './api-keys/use-return-focus.ts'
import { WindowTitle } from './api-keys/WindowTitle.tsx'

/** The keys of one organization, opened from its Users page, or of a personal account, from its Profile page (K5). */
export function ApiKeysPanel() {
  const viewer = useViewer()
  const { routeId } = useMatch({ strict: false })
  const isPersonal = viewer.organization.kind === 'PERSONAL'
  const isHere = routeId.includes('/profile/') === isPersonal && showsApiKeys(viewer)
  return <Keys key={viewer.organization.id} viewer={viewer} isShown={isHere} />
}

/** Should the panel have to go while a secret is shown, the secret stays until it is stored. */
function Keys({ viewer, isShown }: { viewer: Viewer; isShown: boolean }) {
  const [generated, setGenerated] = useState<GeneratedKey>()
  const [revoking, setRevoking] = useState<ListedKey>()
  const body = useRef<HTMLDivElement>(null)
  const { slug } = viewer.organization
  return (
    <>
      {isShown && (
        <Panel viewer={viewer} covered={generated !== undefined || revoking !== undefined}>
          <div ref={body} tabIndex={-1}>
            <GenerateKey slug={slug} onGenerated={setGenerated} />
            <KeyList slug={slug} organization={viewer.organization.name} onRevoke={setRevoking} />
            <UsageRules />
          </div>
        </Panel>
      )}
      {generated && (
        <SecretDialog slug={slug} generated={generated} onStored={() => setGenerated(undefined)} returnTo={body} />
      )}
      {isShown && revoking && (
        <RevokeKey slug={slug} apiKey={revoking} onClose={() => setRevoking(undefined)} returnTo={body} />
      )}
    </>
  )
}

function Panel({ viewer, covered, children }: { viewer: Viewer; covered: boolean; children: React.ReactNode }) {
  const navigate = useNavigate()
  useReturnFocus()
  const { slug, kind, name } = viewer.organization
  const close = () =>
    navigate({ href: kind === 'PERSONAL' ? paths.profile(slug) : paths.users(slug), replace: true, resetScroll: false })
  return (
    <Drawer
      opened
      onClose={close}
      title="API Keys"
      position="right"
      size="lg"
      transitionProps={{ duration: 0 }}
      closeOnEscape={!covered}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <WindowTitle>{`API Keys · ${name}`}</WindowTitle>
      {children}
    </Drawer>
  )
}
