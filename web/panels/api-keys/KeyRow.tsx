import { Badge, Button, Group, Text } from '@mantine/core'
import { useId } from 'react'
import type { ListedKey } from '../../api/api-keys.ts'
import { Time } from '../../ui/Time.tsx'
import { KeyLabel } from './KeyLabel.tsx'
import styles from './KeyList.module.css'
import { LastUse } from './LastUse.tsx'

interface KeyRowProps {
  slug: string
  apiKey: ListedKey
  onRevoke: () => void
}

/** What is known of one key, and the way to end it. */
export function KeyRow({ slug, apiKey, onRevoke }: KeyRowProps) {
  const { label, start, createdBy, createdAt, expiresAt } = apiKey
  const ended = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  const labelId = useId()
  return (
    <li className={styles['key']}>
      <div className={styles['facts']}>
        <KeyLabel slug={slug} apiKey={apiKey} labelId={labelId}>
          {ended && <Badge variant="default">Ended</Badge>}
        </KeyLabel>
        <Text size="sm" c="dimmed" component="div">
          <span className="mono">{start}…</span> · made by {createdBy.kind === 'API_KEY' && 'key '}
          {createdBy.name} <Time at={createdAt} />
        </Text>
        <Group gap={4} fz="sm" c="dimmed">
          <LastUse apiKey={apiKey} />
          {expiresAt && (
            <span>
              · {ended ? 'ended' : 'ends'} <Time at={expiresAt} />
            </span>
          )}
        </Group>
      </div>
      <Button variant="default" size="xs" onClick={onRevoke} aria-describedby={labelId} title={`Revoke ${label}`}>
        Revoke
      </Button>
    </li>
  )
}
