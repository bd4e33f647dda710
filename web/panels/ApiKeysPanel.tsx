import { useQuery } from '@tanstack/react-query'
import { useMatch, useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useRef, useState } from 'react'
import { apiKeysQuery } from '../api/api-keys.ts'
import { showsApiKeys, useViewer, type Viewer } from '../api/viewer.ts'
import { KeysHeld } from '../components/KeysHeld.tsx'
import { WhenVerified } from '../components/WhenVerified.tsx'
import {
  type Asked,
  ask,
  CanaryKeys,
  ChangeAccess,
  ReportLeak,
  RevokeKey,
  RevokeMany,
  RotateKey,
} from '../forms/api-keys/dialogs.ts'
import { GenerateKey } from '../forms/api-keys/GenerateKey.tsx'
import { useLostSecret } from '../forms/api-keys/secret/lost-key.ts'
import { LostKey } from '../forms/api-keys/secret/lost-key-notice.ts'
import { SecretDialog } from '../forms/api-keys/secret/secret-dialog.ts'
import { useGenerated } from '../forms/api-keys/secret/use-generated.ts'
import { paths } from '../paths.ts'
import { SidePanel } from '../ui/SidePanel.tsx'
import { useReturnFocus } from '../ui/use-return-focus.ts'
import { KeyList } from './api-keys/KeyList.tsx'
import { LeakTools } from './api-keys/LeakTools.tsx'
import { UsageRules } from './api-keys/UsageRules.tsx'
import { useAskedForCanaries } from './api-keys/use-asked-for-canaries.ts'
import { useAskedToRevoke } from './api-keys/use-asked-to-revoke.ts'
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
  const { shown, show, hide } = useGenerated()
  const [asked, setAsked] = useState<Asked>()
  const [selected, setSelected] = useState<ReadonlySet<string>>()
  const body = useRef<HTMLDivElement>(null)
  const { slug } = viewer.organization
  const { isPending } = useQuery({ ...apiKeysQuery(slug), enabled: isShown }) // what is below the keys comes with them, and stays in its place
  const lostSecret = useLostSecret(slug)
  const onAsk = useCallback((wanted: Asked) => void ask(wanted, setAsked), [])
  useAskedToRevoke(slug, onAsk)
  useAskedForCanaries(onAsk)
  const dialog = { slug, onClose: () => setAsked(undefined), returnTo: body }
  return (
    <>
      {isShown && (
        <Panel viewer={viewer} covered={shown !== undefined || asked !== undefined}>
          <div ref={body} tabIndex={-1}>
            <Suspense>{lostSecret.lost && <LostKey slug={slug} secret={lostSecret} onGenerated={show} />}</Suspense>
            <KeysHeld slug={slug} />
            <WhenVerified>
              <GenerateKey slug={slug} onGenerated={show} onLost={lostSecret.setLost} />
            </WhenVerified>
            <KeyList
              slug={slug}
              organization={viewer.organization.name}
              selected={selected}
              onSelect={setSelected}
              onAsk={onAsk}
              lostId={lostSecret.found?.id}
            />
            {!isPending && (
              <>
                <LeakTools onAsk={onAsk} />
                <UsageRules />
              </>
            )}
          </div>
        </Panel>
      )}
      <Suspense>{shown && <SecretDialog slug={slug} {...shown} onStored={hide} returnTo={body} />}</Suspense>
      <Suspense>
        {isShown && asked?.to === 'revoke' && <RevokeKey {...dialog} apiKey={asked.apiKey} />}
        {isShown && asked?.to === 'rotate' && (
          <RotateKey {...dialog} apiKey={asked.apiKey} onRotated={show} onLost={lostSecret.setLost} />
        )}
        {isShown && asked?.to === 'access' && <ChangeAccess {...dialog} apiKey={asked.apiKey} />}
        {isShown && asked?.to === 'reportLeak' && <ReportLeak {...dialog} />}
        {isShown && asked?.to === 'canaryKeys' && <CanaryKeys {...dialog} />}
        {isShown && asked?.to === 'revokeMany' && (
          <RevokeMany {...dialog} {...asked} onRevoked={() => setSelected(undefined)} />
        )}
      </Suspense>
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
    <SidePanel title="API Keys" onClose={close} closeOnEscape={!covered}>
      <WindowTitle>{`API Keys · ${name}`}</WindowTitle>
      {children}
    </SidePanel>
  )
}
