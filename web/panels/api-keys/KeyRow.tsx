import { Button } from '@mantine/core'
import { type ReactNode, useId, useRef, useState } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { accessName, restrictionsInWords, whatItMay } from '../../components/key-access.ts'
import { LastUsed } from '../../components/LastUsed.tsx'
import { RenameKey } from '../../forms/api-keys/dialogs.ts'
import { WhilePaused } from '../../forms/api-keys/pause/WhilePaused.tsx'
import type { MenuEntry } from '../../ui/menu.ts'
import { Time } from '../../ui/Time.tsx'
import { KeyBadge } from './KeyBadge.tsx'
import { expiryInWords } from './KeyExpiry.tsx'
import { KeyLabel } from './KeyLabel.tsx'
import { KeyMenu } from './KeyMenu.tsx'
import styles from './KeyRow.module.css'
import { RotationStatus } from './RotationStatus.tsx'

interface KeyRowProps {
  slug: string
  apiKey: ListedKey
  /** Its secret was never received. */
  isLost?: boolean
  /** Its recent usage. */
  chart?: ReactNode
  /** The key that takes the place of this one. */
  successor?: ListedKey | undefined
  /** While keys are being selected: whether this one is, and what a click does. */
  selection?: { isSelected: boolean; toggle: () => void } | undefined
  /** What else its menu offers. */
  actions?: MenuEntry[]
  onRevoke: () => void
  /** Called on hover or focus of Revoke. */
  onReach?: () => void
  /** Something is being done with it. */
  isPending?: boolean
}

/** One key of the list in two lines, with its button to revoke it, and a menu for the rest. */
export function KeyRow({
  slug,
  apiKey,
  isLost = false,
  chart,
  successor,
  selection,
  actions = [],
  onRevoke,
  onReach,
  isPending = false,
}: KeyRowProps) {
  const { label, prefix } = apiKey
  const labelId = useId()
  const menu = useRef<HTMLButtonElement>(null)
  const [renaming, setRenaming] = useState(false)
  const closeRename = () => {
    setRenaming(false)
    requestAnimationFrame(() => menu.current?.focus())
  }
  return (
    <li className={styles['key']}>
      {selection && (
        <input
          type="checkbox"
          className={styles['select']}
          aria-label={`Select ${label} (${prefix}…)`}
          checked={selection.isSelected}
          onChange={selection.toggle}
        />
      )}
      <div className={styles['details']}>
        {renaming ? (
          <RenameKey slug={slug} apiKey={apiKey} onClose={closeRename} />
        ) : (
          <KeyLabel slug={slug} apiKey={apiKey} labelId={labelId}>
            <KeyBadge apiKey={apiKey} isLost={isLost} />
          </KeyLabel>
        )}
        <Facts slug={slug} apiKey={apiKey} successor={successor} />
      </div>
      {chart}
      <div className={styles['buttons']}>
        <Button
          variant="default"
          size="compact-sm"
          aria-describedby={labelId}
          title={`Revoke ${label}`}
          onClick={onRevoke}
          onPointerEnter={onReach}
          onFocus={onReach}
        >
          Revoke
        </Button>
        <KeyMenu
          ref={menu}
          label={label}
          isPending={isPending}
          entries={[{ label: 'Rename', act: () => RenameKey.whenLoaded(() => setRenaming(true)) }, ...actions]}
        />
      </div>
    </li>
  )
}

/** A key has a label, and the portal's operator no name. */
const BEFORE_NAME = { USER: '', SUPPORT: '', API_KEY: 'key ', SYSTEM: 'the ' }

/** Below the label: what tells the key from others, what it may do and until when, and who uses it, or is refused. */
function Facts({ slug, apiKey, successor }: { slug: string; apiKey: ListedKey; successor: ListedKey | undefined }) {
  const { id, prefix, createdBy, createdAt, expiresAt, expired, paused } = apiKey
  const restrictions = restrictionsInWords(apiKey)
  const isOnBadge = !expired && !paused && expiryInWords(apiKey) !== undefined
  return (
    <div className={styles['facts']} data-wraps={successor !== undefined || paused || restrictions !== ''}>
      <span className="mono">{prefix}…</span> ·{' '}
      <span className={styles['access']} title={whatItMay(apiKey)}>
        {accessName(apiKey)}
      </span>{' '}
      · {restrictions && `${restrictions} · `}
      {expiresAt && !isOnBadge && (
        <>
          {expired ? 'expired' : 'expires'} <Time at={expiresAt} /> ·{' '}
        </>
      )}
      {paused ? (
        <WhilePaused slug={slug} id={id} />
      ) : (
        <>
          created by {BEFORE_NAME[createdBy.kind]}
          {createdBy.name} <Time at={createdAt} /> ·{' '}
          {successor ? <RotationStatus old={apiKey} successor={successor} /> : <LastUsed apiKey={apiKey} />}
        </>
      )}
    </div>
  )
}
