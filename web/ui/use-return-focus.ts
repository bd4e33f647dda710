import { type RefObject, useCallback, useEffect, useRef } from 'react'

/**
 * Whoever opened this by keyboard goes on where they were. Where that is gone, or forgotten because it will be gone in a
 * moment, they go on at the place given.
 */
export function useReturnFocus(otherwise?: RefObject<HTMLElement | null>): { forget: () => void } {
  const before = useRef<Element>(null)
  useEffect(() => {
    before.current = document.activeElement
    return () => {
      const opener = before.current
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body
      const to = isThere ? opener : otherwise?.current
      to?.focus({ preventScroll: true })
    }
  }, [otherwise])
  const forget = useCallback(() => {
    before.current = null
  }, [])
  return { forget }
}
