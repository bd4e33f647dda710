import { Button } from '@mantine/core'
import { IconDots, IconPencil } from '@tabler/icons-react'
import { type ReactNode, type Ref, useId, useRef, useState } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { AccessBadge } from '../../components/AccessBadge.tsx'
import { restrictionsInWords } from '../../components/key-access.ts'
import { LastUsed, UseDetails } from '../../components/LastUsed.tsx'
import { RenameKey } from '../../forms/api-keys/dialogs.ts'
import { RefusedWhilePaused } from '../../forms/api-keys/pause/PausedNotice.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { MenuEntry } from '../../ui/menu.ts'
import { Time } from '../../ui/Time.tsx'
import { expiryInWords, KeyBadge, KeyLabel } from './KeyBadge.tsx'
import styles from './KeyRow.module.css'

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
    <li className={styles['key']} data-key={apiKey.id}>
      {selection && (
        <input
          type="checkbox"
          className={`choice ${styles['select']}`}
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
          entries={[
            { label: 'Rename', icon: IconPencil, act: () => RenameKey.whenLoaded(() => setRenaming(true)) },
            ...actions,
          ]}
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
      <span className="mono">{prefix}…</span> · <AccessBadge apiKey={apiKey} /> · {restrictions && `${restrictions} · `}
      {expiresAt && !isOnBadge && (
        <>
          {expired ? 'expired' : 'expires'} <Time at={expiresAt} /> ·{' '}
        </>
      )}
      {paused ? (
        <RefusedWhilePaused slug={slug} id={id} />
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

interface KeyMenuProps {
  label: string
  entries: MenuEntry[]
  isPending: boolean
  ref: Ref<HTMLButtonElement>
}

/** What else an Admin can do with a key of the list. */
const KeyMenu = ({ label, entries, isPending, ref }: KeyMenuProps) => (
  <MenuButton
    position="bottom-end"
    button={
      <Button
        ref={ref}
        variant="subtle"
        color="neutral"
        size="compact-sm"
        loading={isPending}
        px="var(--space-1)"
        aria-label={`Actions for ${label}`}
      >
        <Icon of={IconDots} />
      </Button>
    }
    entries={entries}
  />
)

/** While a key is being replaced: which of the two is still used, and from where. */
function RotationStatus({ old, successor }: { old: ListedKey; successor: ListedKey }) {
  const isStillUsed = old.lastUsedAt !== null && old.lastUsedAt > successor.createdAt
  return (
    <span>
      {isStillUsed ? (
        <>
          <b>Still used:</b> <UseDetails apiKey={old} />.
        </>
      ) : (
        'Not used since it was replaced.'
      )}{' '}
      {successor.lastUsedAt ? (
        <>
          The new one was used <UseDetails apiKey={successor} />.
        </>
      ) : (
        'The new one has not been used yet.'
      )}
    </span>
  )
}
