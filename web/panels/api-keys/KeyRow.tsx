import { Badge, Button, Group, Text } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { Time } from '../../ui/Time.tsx'
import { Handover } from './Handover.tsx'
import { EndBadge, EndNote } from './KeyEnd.tsx'
import { KeyLabel } from './KeyLabel.tsx'
import styles from './KeyList.module.css'
import { LastUse } from './LastUse.tsx'

interface KeyRowProps {
  slug: string
  apiKey: ListedKey
  /** Its secret was never received. */
  isLost?: boolean
  /** What it did lately. */
  chart?: ReactNode
  /** The key that takes the place of this one. */
  successor?: ListedKey | undefined
  /** While keys are being selected: whether this one is, and what a click does. */
  selection?: { isSelected: boolean; toggle: () => void } | undefined
  onRevoke: () => void
  onRotate?: () => void
  /** Somebody reaches for a button. */
  onReach?: (to: 'revoke' | 'rotate') => void
}

/** What is known of one key, and the ways to replace and to end it. */
export function KeyRow({
  slug,
  apiKey,
  isLost = false,
  chart,
  successor,
  selection,
  onRevoke,
  onRotate,
  onReach,
}: KeyRowProps) {
  const { label, prefix, createdBy, createdAt, expired, replacedBy } = apiKey
  const labelId = useId()
  const button = (to: 'revoke' | 'rotate') => {
    const reach = () => onReach?.(to)
    return { variant: 'default', size: 'xs', 'aria-describedby': labelId, onPointerEnter: reach, onFocus: reach }
  }
  return (
    <li className={styles['key']}>
      {selection && (
        <input
          type="checkbox"
          className={styles['select']}
          aria-label={`Select ${label} (${prefix}…)`}
          checked={selection.isSelected}
          onChange={selection.toggle}
        />
      )}
      <div className={styles['facts']}>
        <KeyLabel slug={slug} apiKey={apiKey} labelId={labelId}>
          <EndBadge apiKey={apiKey} />
          {isLost && (
            <Badge variant="default" tt="none" className={styles['lost'] ?? ''}>
              Secret not received
            </Badge>
          )}
        </KeyLabel>
        <Text size="sm" c="dimmed" component="div">
          <span className="mono">{prefix}…</span> · made by {createdBy.kind === 'API_KEY' && 'key '}
          {createdBy.name} <Time at={createdAt} />
        </Text>
        {successor ? (
          <Handover old={apiKey} successor={successor} />
        ) : (
          <Text size="sm" c="dimmed" component="div">
            <LastUse apiKey={apiKey} />
            <EndNote apiKey={apiKey} />
          </Text>
        )}
      </div>
      <div className={styles['side']}>
        <Group gap="xs" wrap="nowrap">
          {onRotate && !replacedBy && !expired && (
            <Button {...button('rotate')} onClick={onRotate} title={`Rotate ${label}`}>
              Rotate
            </Button>
          )}
          <Button {...button('revoke')} onClick={onRevoke} title={`Revoke ${label}`}>
            Revoke
          </Button>
        </Group>
        {chart}
      </div>
    </li>
  )
}
