import { Badge, Button } from '@mantine/core'
import { type ReactNode, useId, useRef, useState } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { LastUsed } from '../../components/LastUsed.tsx'
import { RenameKey } from '../../forms/api-keys/RenameKey.tsx'
import type { MenuEntry } from '../../ui/menu.ts'
import { Time } from '../../ui/Time.tsx'
import { ExpiryBadge } from './KeyExpiry.tsx'
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
            <ExpiryBadge apiKey={apiKey} />
            {isLost && (
              <Badge variant="default" tt="none" className="warning">
                Secret not received
              </Badge>
            )}
          </KeyLabel>
        )}
        <Facts apiKey={apiKey} successor={successor} />
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
        <KeyMenu ref={menu} label={label} entries={[{ label: 'Rename', act: () => setRenaming(true) }, ...actions]} />
      </div>
    </li>
  )
}

/** Below the label: what tells the key from others, and who uses it. */
function Facts({ apiKey, successor }: { apiKey: ListedKey; successor: ListedKey | undefined }) {
  const { prefix, createdBy, createdAt } = apiKey
  return (
    <div className={styles['facts']} data-wraps={successor !== undefined}>
      <span className="mono">{prefix}…</span> · created by {createdBy.kind === 'API_KEY' && 'key '}
      {createdBy.name} <Time at={createdAt} /> ·{' '}
      {successor ? <RotationStatus old={apiKey} successor={successor} /> : <LastUsed apiKey={apiKey} />}
    </div>
  )
}
