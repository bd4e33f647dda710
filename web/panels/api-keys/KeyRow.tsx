import { Badge, Button, Group, Text } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { LastUsed } from '../../components/LastUsed.tsx'
import { Time } from '../../ui/Time.tsx'
import { ExpiryBadge, ExpiryNote } from './KeyExpiry.tsx'
import { KeyLabel } from './KeyLabel.tsx'
import styles from './KeyRow.module.css'
import { RotationStatus } from './RotationStatus.tsx'

interface KeyRowProps {
  slug: string
  apiKey: ListedKey
  /** Its secret was never received. */
  isLost?: boolean
  /** Its recent usage. */
  chart?: ReactNode
  /** The key that takes the place of this one. */
  successor?: ListedKey | undefined
  /** While keys are being selected: whether this one is, and what a click does. */
  selection?: { isSelected: boolean; toggle: () => void } | undefined
  onRevoke: () => void
  onRotate?: () => void
  /** Called on hover or focus of a button. */
  onReach?: (to: 'revoke' | 'rotate') => void
}

/** One key of the list, with its buttons to rotate and revoke it. */
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
      <div className={styles['details']}>
        <KeyLabel slug={slug} apiKey={apiKey} labelId={labelId}>
          <ExpiryBadge apiKey={apiKey} />
          {isLost && (
            <Badge variant="default" tt="none" className="warning">
              Secret not received
            </Badge>
          )}
        </KeyLabel>
        <Text size="sm" c="dimmed" component="div">
          <span className="mono">{prefix}…</span> · created by {createdBy.kind === 'API_KEY' && 'key '}
          {createdBy.name} <Time at={createdAt} />
        </Text>
        {successor ? (
          <RotationStatus old={apiKey} successor={successor} />
        ) : (
          <Text size="sm" c="dimmed" component="div">
            <LastUsed apiKey={apiKey} />
            <ExpiryNote apiKey={apiKey} />
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
