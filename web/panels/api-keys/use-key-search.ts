import { useNavigate, useSearch } from '@tanstack/react-router'
import type { KeySearch } from './key-search.ts'

/** What the address asks for of the list, and how to ask for something else. Each choice but a page begins at the first. */
export function useKeySearch() {
  const wanted: KeySearch = useSearch({ strict: false })
  const navigate = useNavigate()
  /** With `replace` it takes the place of the last one in the history: letters that are typed are no steps back. */
  const show = (changes: KeySearch, { replace = false } = {}) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, page: undefined, ...changes }),
      replace,
      resetScroll: false,
    })
  return { wanted, show }
}
