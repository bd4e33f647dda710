import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import styles from './overview.module.css'

interface StatLinkProps {
  /** What is counted. */
  label: ReactNode
  /** Null: not counted yet. */
  count: number | null
  to: string
  search?: Record<string, string>
  /** What it means, in a few words. */
  note?: string | undefined
}

/** A number that leads to the list behind it. */
export function StatLink({ label, count, to, search, note }: StatLinkProps) {
  return (
    <Link to={to} search={search as never} className={styles['stat']}>
      <Text component="span" size="sm">
        {label}
      </Text>
      <span className={styles['number']}>{count === null ? '…' : count.toLocaleString()}</span>
      {note && (
        <Text component="span" size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Link>
  )
}
