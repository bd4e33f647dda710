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
  const matches = ({ label, start, createdBy, lastUsedFrom }: ListedKey) =>
    `${label}\n${start}\n${createdBy.name}\n${lastUsedFrom ?? ''}`.toLowerCase().includes(wanted)
  return keys.filter(matches).sort(COMPARE[order])
}

/** The keys that a key made, directly or through others that are still there (C2). */
export function madeThrough(keys: readonly ListedKey[], id: string): ListedKey[] {
  const made = keys.filter(({ createdBy }) => createdBy.kind === 'API_KEY' && createdBy.id === id)
  return made.flatMap((key) => [key, ...madeThrough(keys, key.id)])
}
