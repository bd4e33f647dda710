import { useEffect } from 'react'

/** The title of the window while this is shown; then it is again what it was. */
export function WindowTitle({ children }: { children: string }) {
  useEffect(() => {
    const before = document.title
    document.title = `${children} · Edge Management Portal`
    return () => {
      document.title = before
    }
  }, [children])
  return null
}
