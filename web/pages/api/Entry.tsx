import { Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Described } from './Described.tsx'
import styles from './Reference.module.css'

interface EntryProps {
  id: string
  name: string
  description: string
  deprecated?: string
  badge?: ReactNode
  children?: ReactNode
}

/** One query, mutation or type, with a link to itself. */
export const Entry = ({ id, name, badge, children, ...said }: EntryProps) => (
  <Stack component="article" id={id} tabIndex={-1} gap="xs" className={styles['entry']} aria-labelledby={`${id}-name`}>
    <Group gap="xs">
      <Title order={3} size="h5" id={`${id}-name`} className="mono">
        <a href={`#${id}`} className={styles['anchor']}>
          {name}
        </a>
      </Title>
      {badge}
    </Group>
    <Described {...said} />
    {children}
  </Stack>
)
