import { Button } from '@mantine/core'
import { type ComponentProps, type ReactNode, type Ref, useId, useRef, useState } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { AccessBadge } from '../../components/AccessBadge.tsx'
import { restrictionsInWords } from '../../components/key-access.ts'
import { UseDetails, UseSource } from '../../components/LastUsed.tsx'
import { RenameKey } from '../../forms/api-keys/dialogs.ts'
import { RefusedWhilePaused } from '../../forms/api-keys/pause/PausedNotice.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconDots, IconPencil, IconTrash } from '../../ui/icons/icons.ts'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { MenuEntry } from '../../ui/menu.ts'
import { SortHead } from '../../ui/SortHead.tsx'
import { Table } from '../../ui/Table.tsx'
import { Time } from '../../ui/Time.tsx'
import { KeyBadge, KeyLabel } from './KeyBadge.tsx'
import styles from './KeyRow.module.css'
import type { Order } from './key-search.ts'

interface KeyTableProps {
  isSelecting?: boolean
  /** What it is sorted by; absent where it is not to be sorted. */
  sort?: Order
  children: ReactNode
}

/** What a list of keys says of each. */
export const KeyTable = ({ isSelecting = false, sort, children }: KeyTableProps) => (
  <Table>
    <thead className={styles['columns']}>
      <tr>
        {isSelecting && <td className={styles['select']} />}
        <Head by="label" sort={sort}>
          Key
        </Head>
        <th className={styles['access']}>Access</th>
        <Head by="used" sort={sort} isTime className={styles['used']}>
          Last used
        </Head>
        <th className={styles['calls']}>Calls, 30 days</th>
        <Head by="expires" sort={sort} className={styles['expires']}>
          Expires
        </Head>
        <td className={styles['menu']} />
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </Table>
)

const Head = ({ sort, ...head }: ComponentProps<typeof SortHead>) =>
  sort === undefined ? (
    <th scope="col" className={head.className}>
      {head.children}
    </th>
  ) : (
    <SortHead sort={sort} {...head} />
  )

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
  /** Called on hover or focus of what revokes it. */
  onReach?: () => void
  /** Something is being done with it. */
  isPending?: boolean
}

/** One key of the list: whose it is, what it may do, who uses it and until when, its button to revoke it, and a menu for the rest. */
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
  const { label, prefix, expiresAt, paused } = apiKey
  const labelId = useId()
  const menu = useRef<HTMLButtonElement>(null)
  const [renaming, setRenaming] = useState(false)
  const closeRename = () => {
    setRenaming(false)
    requestAnimationFrame(() => menu.current?.focus())
  }
  return (
    <tr className={styles['key']} data-key={apiKey.id}>
      {selection && (
        <td className={styles['select']}>
          <input
            type="checkbox"
            className="choice"
            aria-label={`Select ${label} (${prefix}…)`}
            checked={selection.isSelected}
            onChange={selection.toggle}
          />
        </td>
      )}
      <th scope="row" className={styles['label']}>
        {renaming ? (
          <RenameKey slug={slug} apiKey={apiKey} onClose={closeRename} />
        ) : (
          <KeyLabel slug={slug} apiKey={apiKey} labelId={labelId}>
            <KeyBadge apiKey={apiKey} isLost={isLost} />
          </KeyLabel>
        )}
        <Origin apiKey={apiKey} />
        {paused && (
          <Quiet>
            <RefusedWhilePaused slug={slug} id={apiKey.id} />
          </Quiet>
        )}
        {successor && (
          <Quiet>
            <RotationStatus old={apiKey} successor={successor} />
          </Quiet>
        )}
      </th>
      <td className={styles['access']}>
        <AccessBadge apiKey={apiKey} />
        <Quiet>{restrictionsInWords(apiKey)}</Quiet>
      </td>
      <td className={styles['used']}>
        <LastUsed apiKey={apiKey} />
      </td>
      <td className={styles['calls']}>{chart}</td>
      <td className={styles['expires']}>
        <Time at={expiresAt} />
      </td>
      <td className={styles['menu']} onPointerEnter={onReach} onFocus={onReach}>
        <Button
          variant="subtle"
          color="neutral"
          size="compact-sm"
          aria-describedby={labelId}
          title={`Revoke ${label}`}
          onClick={onRevoke}
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
            'line',
            { label: 'Revoke', icon: IconTrash, act: onRevoke, danger: true },
          ]}
        />
      </td>
    </tr>
  )
}

/** A key has a label, and the portal's operator no name. */
const BEFORE_NAME = { USER: '', SUPPORT: '', API_KEY: 'key ', SYSTEM: 'the ' }

/** Below the label: what tells the key from others. */
const Origin = ({ apiKey: { prefix, createdBy, createdAt } }: { apiKey: ListedKey }) => (
  <div className={`${styles['quiet']} ${styles['origin']}`}>
    <span className={styles['prefix']}>
      <span className="mono">{prefix}…</span> ·{' '}
    </span>
    by {BEFORE_NAME[createdBy.kind]}
    {createdBy.name} <Time at={createdAt} />
  </div>
)

const Quiet = ({ children }: { children: ReactNode }) => children && <div className={styles['quiet']}>{children}</div>

/** When a key was last used; from where, by which program and for what is below. */
function LastUsed({ apiKey }: { apiKey: ListedKey }) {
  if (!apiKey.lastUsedAt) return <>Never used</>
  return (
    <>
      <Time at={apiKey.lastUsedAt} />{' '}
      <Quiet>
        <UseSource apiKey={apiKey} />
      </Quiet>
    </>
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
