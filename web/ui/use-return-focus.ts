import { type RefObject, useCallback, useEffect, useRef } from 'react'

type Focusable = HTMLElement | null | undefined

/**
 * Whoever opened this by keyboard goes on at `next`, if that is there; else where they were. Where that is gone, forgotten
 * because it will be gone in a moment, or nothing but the page around it, they go on at the place given.
 */
export function useReturnFocus(
  otherwise?: RefObject<HTMLElement | null>,
  next?: () => Focusable,
): { forget: () => void } {
  const before = useRef<Element>(null)
  const wanted = useRef(next)
  wanted.current = next
  useEffect(() => {
    before.current = document.activeElement
    return () => {
      const goal = wanted.current?.()
      if (goal) return goal.focus()
      const opener = before.current
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body
      const isReachable = isThere && opener.tabIndex >= 0 // not where a click beside all controls has put the focus
      const to = isReachable ? opener : (otherwise?.current ?? (isThere ? opener : null))
      to?.focus({ preventScroll: true })
    }
  }, [otherwise])
  const forget = useCallback(() => {
    before.current = null
  }, [])
  return { forget }
}
