import { type RefObject, useMemo, useRef } from 'react'

/** For a list of keys inside of `body`: the row of a key, and the row that is next once a key is gone. */
export function useRowFocus(body: RefObject<HTMLElement | null>) {
  const near = useRef<(string | undefined)[]>([])
  return useMemo(() => {
    const rowOf = (id = '') => body.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(id)}"] a`)
    return {
      rowOf,
      /** Remembers what is below the row of this key, then what is above it, the nearest first. */
      noteRow(id: string) {
        const rows = [...(body.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [])]
        const ids = rows.map(({ dataset }) => dataset['key'])
        const at = ids.indexOf(id)
        near.current = [...ids.slice(at + 1), ...ids.slice(0, Math.max(at, 0)).reverse()]
      },
      /** The nearest of these rows that is there; without one, the body. */
      nextRow: {
        get current() {
          return near.current.map(rowOf).find((row) => row) ?? body.current
        },
      } satisfies RefObject<HTMLElement | null>,
    }
  }, [body])
}
