import type { ListedKey } from '../../api/api-keys.ts'

export const ORDERS = { newest: 'Newest first', used: 'Last used first', label: 'By label' } as const

export type Order = keyof typeof ORDERS

const byLabel = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

const COMPARE: Record<Order, (a: ListedKey, b: ListedKey) => number> = {
  newest: (a, b) => b.createdAt.localeCompare(a.createdAt),
  used: (a, b) => (b.lastUsedAt ?? '').localeCompare(a.lastUsedAt ?? ''),
  label: (a, b) => byLabel.compare(a.label, b.label),
}

export const STATES = { any: 'All keys', active: 'Active keys', expired: 'Expired keys' } as const

export type State = keyof typeof STATES

/** What is to be seen of the list, and in which order. */
export interface Wanted {
  order: Order
  search: string
  state: State
  /** Only these, by id. */
  only: readonly string[]
}

/** The keys that are wanted, in the order asked for. */
export function arrange(all: readonly ListedKey[], { order, search, state, only }: Wanted): ListedKey[] {
  const keys = all
    .filter(({ expired }) => state === 'any' || expired === (state === 'expired'))
    .filter(({ id }) => only.length === 0 || only.includes(id))
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
