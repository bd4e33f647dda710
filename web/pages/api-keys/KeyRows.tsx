import { memo } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { loadAhead, type OpenDialog } from '../../forms/api-keys/dialogs.ts'
import { usePause } from '../../forms/api-keys/pause/use-pause.ts'
import { IconRefresh, IconShield } from '../../ui/icons/icons.ts'
import type { MenuEntry } from '../../ui/menu.ts'
import { KeyRow, KeyTable } from './KeyRow.tsx'
import type { Order } from './key-search.ts'
import { useUsageCharts } from './use-usage-charts.tsx'

interface KeyRowsProps {
  slug: string
  keys: readonly ListedKey[]
  /** Which of them the page has. */
  shown: readonly ListedKey[]
  sort: Order | undefined
  selected: ReadonlySet<string> | undefined
  onSelect: (ids: ReadonlySet<string>) => void
  onOpen: (dialog: OpenDialog) => void
  lostId: string | undefined
}

/** The keys of one page. Typing in a filter draws no row again. */
export const KeyRows = memo(function KeyRows(props: KeyRowsProps) {
  const { slug, keys, shown, sort = '-created', selected, onSelect, onOpen, lostId } = props
  const pause = usePause(slug)
  const chartOf = useUsageCharts(
    slug,
    shown.map(({ id }) => id),
  )
  const toggled = (id: string) => {
    const ids = new Set(selected)
    return ids.delete(id) ? ids : ids.add(id)
  }
  return (
    <KeyTable isSelecting={selected !== undefined} sort={sort}>
      {shown.map((key) => (
        <KeyRow
          key={key.id}
          slug={slug}
          apiKey={key}
          isLost={key.id === lostId}
          chart={chartOf(key.id)}
          successor={keys.find(({ id }) => id === key.replacedBy?.id)}
          selection={selected && { isSelected: selected.has(key.id), toggle: () => onSelect(toggled(key.id)) }}
          actions={[...actionsFor(key, onOpen), ...pause.entriesFor(key)]}
          isPending={pause.pendingId === key.id}
          onRevoke={() => onOpen({ kind: 'revoke', apiKey: key })}
          onReach={() => loadAhead('revoke')}
        />
      ))}
    </KeyTable>
  )
})

/** What the menu of a key offers besides its label. */
function actionsFor(apiKey: ListedKey, onOpen: (dialog: OpenDialog) => void): MenuEntry[] {
  const { expired, replacedBy } = apiKey
  return [
    ...(expired || replacedBy
      ? []
      : [{ label: 'Rotate', icon: IconRefresh, act: () => onOpen({ kind: 'rotate', apiKey }) }]),
    ...(expired ? [] : [{ label: 'Change access', icon: IconShield, act: () => onOpen({ kind: 'access', apiKey }) }]),
  ]
}
