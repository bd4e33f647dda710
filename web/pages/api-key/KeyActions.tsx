import { Button } from '@mantine/core'
import { type RefObject, Suspense, useRef, useState } from 'react'
import type { KeyOfPage } from '../../api/api-key.ts'
import type { GeneratedKey } from '../../api/api-keys.ts'
import type { Viewer } from '../../api/viewer.ts'
import { RevokeKey, RotateKey } from '../../forms/api-keys/dialogs.ts'
import { PauseKey } from '../../forms/api-keys/pause/PausedNotice.tsx'
import type { LostSecret } from '../../forms/api-keys/secret/lost-key.ts'

interface KeyActionsProps {
  apiKey: KeyOfPage
  organization: Viewer['organization']
  onRotated: (key: GeneratedKey, message: string) => void
  onLost: (lost: LostSecret) => void
  renameButton: RefObject<HTMLButtonElement | null>
  onRename: () => void
}

/** What an Admin can do with the key: the same dialogs as in the panel. */
export function KeyActions({ apiKey, organization, onRotated, onLost, renameButton, onRename }: KeyActionsProps) {
  const { slug, apiKeysEnabled } = organization
  const [dialog, setDialog] = useState<'revoke' | 'rotate'>()
  const revoke = useRef<HTMLButtonElement>(null)
  const canRotate = apiKeysEnabled && !apiKey.expired && !apiKey.replacedBy
  const dialogProps = { slug, apiKey, onClose: () => setDialog(undefined), returnTo: revoke }
  const rotated = (key: GeneratedKey, message: string) => {
    setDialog(undefined)
    onRotated(key, message)
  }
  return (
    <>
      <Button variant="default" ref={renameButton} onClick={onRename}>
        Rename
      </Button>
      <PauseKey slug={slug} apiKey={apiKey} />
      {canRotate && (
        <Button variant="default" onClick={() => setDialog('rotate')}>
          Rotate
        </Button>
      )}
      <Button variant="default" ref={revoke} onClick={() => setDialog('revoke')}>
        Revoke
      </Button>
      <Suspense>
        {dialog === 'revoke' && <RevokeKey {...dialogProps} />}
        {dialog === 'rotate' && <RotateKey {...dialogProps} onRotated={rotated} onLost={onLost} />}
      </Suspense>
    </>
  )
}
