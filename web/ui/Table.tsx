import type { ReactNode } from 'react'
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
  const table = (
    <table className={isCompact ? `${styles['table']} ${styles['compact']}` : styles['table']}>{children}</table>
  )
  if (label === undefined) return <div className="scroll-x">{table}</div>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keyboard
    <section className="scroll-x" aria-label={label} tabIndex={0}>
      {table}
    </section>
  )
}
