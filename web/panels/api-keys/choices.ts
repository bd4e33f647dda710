import type { ListedKey } from '../../api/api-keys.ts'
import { DAY_MS } from '../../components/key-times.ts'

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
