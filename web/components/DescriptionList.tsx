import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './DescriptionList.module.css'

/** Details of one thing: two columns on a phone, four on a desktop. */
export const DescriptionList = ({ children }: { children: ReactNode }) => <dl className={styles['list']}>{children}</dl>

/** A missing value is shown as a dash. */
export function DescriptionItem({
  name,
  children,
  wide = false,
}: {
  name: string
  children: ReactNode
  wide?: boolean
}) {
  return (
    <div data-wide={wide || undefined}>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <dd>{children || '—'}</dd>
    </div>
  )
}
