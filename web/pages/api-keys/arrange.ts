import type { ListedKey } from '../../api/api-keys.ts'
import { DAY_MS, expiresSoon } from '../../components/key-activity.ts'
import type { KeySearch, Order, State } from './key-search.ts'

const UNUSED_MS = 90 * DAY_MS
const NEVER = '9999'

const byLabel = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

type Compare = (a: ListedKey, b: ListedKey) => number

const COMPARE: Record<'created' | 'used' | 'expires' | 'label', Compare> = {
  created: (a, b) => a.createdAt.localeCompare(b.createdAt),
  used: (a, b) => (a.lastUsedAt ?? '').localeCompare(b.lastUsedAt ?? ''),
  expires: (a, b) => (a.expiresAt ?? NEVER).localeCompare(b.expiresAt ?? NEVER),
  label: (a, b) => byLabel.compare(a.label, b.label),
}

function comparing(order: Order): Compare {
  const compare = COMPARE[order.replace('-', '') as keyof typeof COMPARE] // by the type of order
  return order.startsWith('-') ? (a, b) => compare(b, a) : compare
}

/** Whether a key is in this state. A key can be in several: a paused one may also expire soon. */
export const IS: Record<State, (key: ListedKey) => boolean> = {
  active: ({ expired }) => !expired,
  paused: ({ paused, expired }) => paused && !expired,
  expiring: (key) => !key.expired && expiresSoon(key),
  expired: ({ expired }) => expired,
  unused: ({ expired, lastUsedAt, createdAt }) =>
    !expired && Date.parse(lastUsedAt ?? createdAt) < Date.now() - UNUSED_MS,
}

/** The keys that are wanted, on all pages, in the order asked for. */
export function arrange(all: readonly ListedKey[], { sort = '-created', q = '', state, only }: KeySearch): ListedKey[] {
  const ids = only?.split('.')
  const keys = all.filter((key) => (!state || IS[state](key)) && (!ids || ids.includes(key.id)))
  const wanted = q.trim().toLowerCase()
  const matches = ({ label, prefix, createdBy, lastUsedIp, lastUsedUserAgent, lastUsedOperation }: ListedKey) =>
    [label, prefix, createdBy.name, lastUsedIp, lastUsedUserAgent, lastUsedOperation].some((text) =>
      text?.toLowerCase().includes(wanted),
    )
  return replacedBeneath(keys.filter(matches).sort(comparing(sort)))
}

/** A key that is being replaced stands below the one that takes its place, whatever the order. */
function replacedBeneath(keys: ListedKey[]): ListedKey[] {
  const ids = new Set(keys.map(({ id }) => id))
  const olderThan = Map.groupBy(keys, ({ replacedBy }) => replacedBy?.id)
  const withOlder = (key: ListedKey): ListedKey[] => [key, ...(olderThan.get(key.id) ?? []).flatMap(withOlder)]
  const isLatest = ({ replacedBy }: ListedKey) => !replacedBy || !ids.has(replacedBy.id)
  return keys.filter(isLatest).flatMap(withOlder)
}

const UNUSED_DAYS = [30, 90, 180]

interface Choice {
  label: string
  keys: ListedKey[]
}

/** What can be selected with one click: all, those that nobody uses, those of one creator. */
export function choicesOf(keys: readonly ListedKey[]): Choice[] {
  const creators = new Map(keys.map(({ createdBy }) => [createdBy.id, createdBy]))
  return [
    { label: 'All', keys: [...keys] },
    ...UNUSED_DAYS.map((days) => ({
      label: `Unused for ${days} days`,
      keys: keys.filter(
        (key) => !key.expired && Date.parse(key.lastUsedAt ?? key.createdAt) < Date.now() - days * DAY_MS,
      ),
    })),
    ...[...creators.values()].map(({ id, kind, name }) => ({
      label: `Created by ${kind === 'API_KEY' ? 'key ' : ''}${name}`,
      keys: keys.filter(({ createdBy }) => createdBy.id === id),
    })),
  ]
}
