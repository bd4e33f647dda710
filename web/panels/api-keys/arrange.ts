import type { ListedKey } from '../../api/api-keys.ts'

export const ORDERS = { newest: 'Newest first', used: 'Last used first', label: 'By label' } as const

export type Order = keyof typeof ORDERS

const byLabel = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

const COMPARE: Record<Order, (a: ListedKey, b: ListedKey) => number> = {
  newest: (a, b) => b.createdAt.localeCompare(a.createdAt),
  used: (a, b) => (b.lastUsedAt ?? '').localeCompare(a.lastUsedAt ?? ''),
  label: (a, b) => byLabel.compare(a.label, b.label),
}

/** The keys that match what was typed, in the order asked for. */
export function arrange(keys: readonly ListedKey[], order: Order, search: string): ListedKey[] {
  const wanted = search.trim().toLowerCase()
  const matches = ({ label, prefix, createdBy, lastUsedIp }: ListedKey) =>
    `${label}\n${prefix}\n${createdBy.name}\n${lastUsedIp ?? ''}`.toLowerCase().includes(wanted)
  return replacedBeneath(keys.filter(matches).sort(COMPARE[order]))
}

/** A key that is being replaced stands below the one that takes its place, whatever the order. */
function replacedBeneath(keys: ListedKey[]): ListedKey[] {
  const olderThan = ({ id }: ListedKey) => keys.filter(({ replacedBy }) => replacedBy?.id === id)
  const withOlder = (key: ListedKey): ListedKey[] => [key, ...olderThan(key).flatMap(withOlder)]
  const isLatest = ({ replacedBy }: ListedKey) => !keys.some(({ id }) => id === replacedBy?.id)
  return keys.filter(isLatest).flatMap(withOlder)
}
