import { Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { CheckIcon } from '../../ui/icons.tsx'
import styles from './Checklist.module.css'

/** One step: its mark, its name, and how to do it while it is to do. */
export function ChecklistStep({ title, isDone, children }: { title: string; isDone: boolean; children: ReactNode }) {
  return (
    <li className={styles['step']} data-done={isDone || undefined}>
      <span className={styles['mark']} aria-hidden="true">
        {isDone && <CheckIcon />}
      </span>
      <div className={styles['body']}>
        <Text fw={isDone ? 400 : 600} role="status">
          {title}
          <VisuallyHidden>{isDone ? ': done' : ': to do'}</VisuallyHidden>
        </Text>
        {children && <div className={styles['way']}>{children}</div>}
      </div>
    </li>
  )
}
