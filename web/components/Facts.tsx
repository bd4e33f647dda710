import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './Facts.module.css'

/** What is known of one thing, two facts beside each other on a phone and four on a desk. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={styles['facts']}>{children}</dl>

/** What is unknown has a dash, so that it is seen to be unknown. */
export function Fact({ name, children, wide = false }: { name: string; children: ReactNode; wide?: boolean }) {
  return (
    <div data-wide={wide || undefined}>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <dd>{children || '—'}</dd>
    </div>
  )
}
