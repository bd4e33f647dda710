import { type ReactNode, useCallback, useState } from 'react'
import styles from './Table.module.css'

interface TableProps {
  /** For a table without anything to focus that may be wider than a phone: it scrolls by keyboard too, under this name. */
  label?: string
  /** Rows that leave room for more of them. */
  isCompact?: boolean
  children: ReactNode
}

/** A plain table: Mantine's brings along the scroll bars of its own and what menus need, which is a tenth of a first load. */
export function Table({ label, isCompact = false, children }: TableProps) {
  const [isWide, watch] = useIsWide()
  const table = (
    <table className={isCompact ? `${styles['table']} ${styles['compact']}` : styles['table']}>{children}</table>
  )
  const box = { ref: watch, className: isWide ? styles['wide'] : undefined }
  if (label === undefined) return <div {...box}>{table}</div>
  return (
    <section {...box} aria-label={label} tabIndex={isWide ? 0 : undefined}>
      {table}
    </section>
  )
}

/**
 * Whether a box has too little room for its table, so that it has to scroll by itself. Only then: the heads of a table in
 * a box that scrolls stay at the top of the box, and not of the page.
 */
function useIsWide() {
  const [isWide, setWide] = useState(false)
  const watch = useCallback((box: HTMLElement | null) => {
    if (!box?.firstElementChild) return
    const observer = new ResizeObserver(() => setWide(box.scrollWidth > box.clientWidth))
    observer.observe(box)
    observer.observe(box.firstElementChild)
    return () => observer.disconnect()
  }, [])
  return [isWide, watch] as const
}
