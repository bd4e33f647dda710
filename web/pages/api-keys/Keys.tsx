import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { apiKeysQuery } from '../../api/api-keys.ts'
import type { Viewer } from '../../api/viewer.ts'
import { KeysHeld } from '../../components/KeysHeld.tsx'
import { WhenVerified } from '../../components/WhenVerified.tsx'
import {
  CanaryKeys,
  ChangeAccess,
  type OpenDialog,
  openDialog,
  ReportLeak,
  RevokeKey,
  RevokeMany,
  RotateKey,
} from '../../forms/api-keys/dialogs.ts'
import { GenerateKey } from '../../forms/api-keys/GenerateKey.tsx'
import { useLostSecret } from '../../forms/api-keys/secret/lost-key.ts'
import { LostKey } from '../../forms/api-keys/secret/lost-key-notice.ts'
import { SecretDialog, useGenerated } from '../../forms/api-keys/secret/secret-dialog.ts'
import { KeyList } from './KeyList.tsx'
import { useRowFocus } from './use-row-focus.ts'

interface KeysProps {
  viewer: Viewer
  isShown: boolean
  /** What the keys are shown in; covered: a dialog is above them. */
  frame: (keys: ReactNode, isCovered: boolean) => ReactNode
}

/**
 * The keys of one organization, with all that can be done with them. Should they have to go while a secret is shown, the
 * secret stays until it is stored.
 */
export function Keys({ viewer, isShown, frame }: KeysProps) {
  const { shown, show, hide } = useGenerated()
  const [dialog, setDialog] = useState<OpenDialog>()
  const [selected, setSelected] = useState<ReadonlySet<string>>()
  const body = useRef<HTMLDivElement>(null)
  const { slug } = viewer.organization
  const { data: keys } = useQuery({ ...apiKeysQuery(slug), enabled: isShown })
  const lostSecret = useLostSecret(slug)
  const { rowOf, noteRow, nextRow } = useRowFocus(body)
  const onOpen = useCallback(
    (opened: OpenDialog) => {
      if (opened.kind === 'revoke') noteRow(opened.apiKey.id)
      void openDialog(opened, setDialog)
    },
    [noteRow],
  )
  useOpenRevokeMany(slug, onOpen)
  useOpenCanaryKeys(onOpen)
  const dialogProps = { slug, onClose: () => setDialog(undefined), returnTo: body }
  return (
    <>
      {isShown &&
        frame(
          <div ref={body} tabIndex={-1}>
            <Suspense>{lostSecret.lost && <LostKey slug={slug} secret={lostSecret} onGenerated={show} />}</Suspense>
            <KeysHeld slug={slug} />
            <WhenVerified>
              <GenerateKey
                slug={slug}
                help={<UsageRules areOpen={keys?.length === 0} />}
                onGenerated={show}
                onLost={lostSecret.setLost}
              />
            </WhenVerified>
            <KeyList
              slug={slug}
              organization={viewer.organization.name}
              selected={selected}
              onSelect={setSelected}
              onOpen={onOpen}
              lostId={lostSecret.found?.id}
            />
          </div>,
          shown !== undefined || dialog !== undefined,
        )}
      <Suspense>
        {shown && <SecretDialog slug={slug} {...shown} onStored={hide} returnTo={body} rowOf={rowOf} />}
      </Suspense>
      <Suspense>
        {isShown && dialog?.kind === 'revoke' && (
          <RevokeKey {...dialogProps} apiKey={dialog.apiKey} returnTo={nextRow} />
        )}
        {isShown && dialog?.kind === 'rotate' && (
          <RotateKey {...dialogProps} apiKey={dialog.apiKey} onRotated={show} onLost={lostSecret.setLost} />
        )}
        {isShown && dialog?.kind === 'access' && <ChangeAccess {...dialogProps} apiKey={dialog.apiKey} />}
        {isShown && dialog?.kind === 'reportLeak' && <ReportLeak {...dialogProps} />}
        {isShown && dialog?.kind === 'canaryKeys' && <CanaryKeys {...dialogProps} />}
        {isShown && dialog?.kind === 'revokeMany' && (
          <RevokeMany {...dialogProps} {...dialog} onRevoked={() => setSelected(undefined)} />
        )}
      </Suspense>
    </>
  )
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Somebody came here from the notice of a canary key that was used. */
    showsCanaries?: true
  }
}

/** Shows the canary keys, once, to those who came here for them. */
function useOpenCanaryKeys(onOpen: (dialog: OpenDialog) => void): void {
  const showsCanaries = useLocation({ select: ({ state }) => state.showsCanaries })
  const navigate = useNavigate()
  useEffect(() => {
    if (!showsCanaries) return
    void navigate({ to: '.', search: true, state: {}, replace: true, resetScroll: false })
    onOpen({ kind: 'canaryKeys' })
  }, [showsCanaries, navigate, onOpen])
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The ids of keys that somebody asks to revoke, who came here to be asked whether they mean it. */
    revokes?: string[]
  }
}

/** Asks, once, before keys are revoked that somebody chose elsewhere. */
function useOpenRevokeMany(slug: string, onOpen: (dialog: OpenDialog) => void): void {
  const ids = useLocation({ select: ({ state }) => state.revokes })
  const { data: keys } = useQuery({ ...apiKeysQuery(slug), enabled: ids !== undefined })
  const navigate = useNavigate()
  useEffect(() => {
    if (!ids || !keys) return
    void navigate({ to: '.', search: true, state: {}, replace: true, resetScroll: false })
    const chosen = keys.filter(({ id }) => ids.includes(id))
    if (chosen.length > 0) onOpen({ kind: 'revokeMany', keys: chosen, wereLeft: true })
  }, [ids, keys, navigate, onOpen])
}

/** What every key holder should know (W5), where a key is generated. */
const UsageRules = ({ areOpen }: { areOpen: boolean }) => (
  <Text component="details" size="sm" c="dimmed" {...{ open: areOpen }}>
    <summary>Treat a key like a password</summary>
    <ul className="bullets">
      <li>Keep it in an environment variable or a secrets manager, never in source control.</li>
      <li>Use one key per integration, so that you can revoke one without affecting the others.</li>
      <li>Revoke unused keys.</li>
      <li>Rotate keys periodically, and at once if you suspect a leak.</li>
    </ul>
  </Text>
)
