import type { ReactNode } from 'react'
import styles from './Table.module.css'

/** A plain table: Mantine's brings along the scroll bars of its own and what menus need, which is a tenth of a first load. */
export const Table = ({ children }: { children: ReactNode }) => (
  <div className="scroll-x">
    <table className={styles['table']}>{children}</table>
  </div>
)
