import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { paths } from '../../paths.ts'
import styles from './KeyRow.module.css'

interface KeyLabelProps {
  slug: string
  apiKey: ListedKey
  labelId: string
  /** What stands beside the label. */
  children?: ReactNode
}

/** The label of a key, which leads to its page. One that is too long for the row is whole in its tooltip. */
export function KeyLabel({ slug, apiKey: { id, label }, labelId, children }: KeyLabelProps) {
  return (
    <div className={styles['head']}>
      <Anchor
        component={Link}
        to={paths.apiKey(slug, id)}
        fw={600}
        size="sm"
        c="inherit"
        underline="always"
        id={labelId}
        title={label}
        className={styles['label'] ?? ''}
      >
        {label}
      </Anchor>
      {children}
    </div>
  )
}
