import { useState } from 'react'
import type { DeviceSearch } from '../../api/devices.ts'
import { deviceSearch } from './device-search.ts'

/** A filter, an order and columns, under a name. */
export interface SavedView {
  name: string
  search: DeviceSearch
}

/** The views of a person, as this browser remembers them; others get the address. */
export function useSavedViews(userId: string, slug: string) {
  const place = `device-views ${userId} ${slug}`
  const [views, setViews] = useState(() => read(place))
  const keep = (next: readonly SavedView[]) => {
    setViews(next)
    try {
      localStorage.setItem(place, JSON.stringify(next))
    } catch {} // a browser that stores nothing has them until the page is left
  }
  const without = (name: string) => views.filter((view) => view.name !== name)
  return {
    views,
    /** One of the same name is replaced. */
    save: (view: SavedView) => keep([...without(view.name), view].sort((a, b) => a.name.localeCompare(b.name))),
    remove: (name: string) => keep(without(name)),
  }
}

/** Whatever is stored there: somebody may have changed it. */
function read(place: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? '[]')
    return Array.isArray(stored)
      ? stored.filter(isView).map(({ name, search }) => ({ name, search: deviceSearch(search) }))
      : []
  } catch {
    return []
  }
}

const isView = (given: unknown): given is { name: string; search: Record<string, unknown> } =>
  typeof given === 'object' &&
  given !== null &&
  'name' in given &&
  typeof given.name === 'string' &&
  'search' in given &&
  typeof given.search === 'object' &&
  given.search !== null
