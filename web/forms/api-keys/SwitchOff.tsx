import { Checkbox, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiKeysQuery } from '../../api/api-keys.ts'
import { countKeys, isInUse, staysActive } from '../../components/key-activity.ts'
import { LastUsed } from '../../components/LastUsed.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { ConfirmRevoke } from './revoke/ConfirmRevoke.tsx'
import styles from './revoke/RevokeMany.module.css'

interface SwitchOffProps {
  slug: string
  active: number
  onConfirm: (revokeActiveKeys: boolean) => Promise<unknown>
  onClose: () => void
}

/** Says what switching off does not do: revoke. That is a choice in the same step (C1), of every key that is listed. */
export default function SwitchOff({ slug, active, onConfirm, onClose }: SwitchOffProps) {
  useReturnFocus()
  const { data: keys } = useSuspenseQuery(apiKeysQuery(slug))
  const [revokes, setRevokes] = useState(false)
  const inUse = keys.filter((key) => isInUse(key))
  const [one, all] = [keys.length === 1, countKeys(keys.length)]
  return (
    <ConfirmRevoke
      title="Switch off API keys?"
      action={revokes ? `Revoke ${all} and switch off` : 'Switch off'}
      typed={
        revokes && inUse.length > 0
          ? { word: String(keys.length), label: `Type ${keys.length} to confirm`, why: whyTyped(inUse.length) }
          : undefined
      }
      asksReason={false}
      doing={revokes ? 'Revoking…' : 'Switching off…'}
      onConfirm={() => onConfirm(revokes)}
      onClose={onClose}
    >
      <Text>Nobody can generate keys, and the API Keys button is hidden.</Text>
      <Text aria-live="polite">
        {revokes
          ? `${all} will be permanently revoked: everything that uses ${one ? 'it' : 'them'} loses access at once.`
          : staysActive(active)}
      </Text>
      {inUse.length > 0 && (
        <div>
          <Text fw={600} size="sm">
            In use: called in the last 24 hours
          </Text>
          <ul className={`plain-list ${styles['list']}`} aria-label="Keys in use">
            {inUse.map((key) => (
              <li key={key.id}>
                <b>{key.label}</b> <span className="mono">{key.prefix}…</span>
                <Text size="sm" c="dimmed" component="div">
                  <LastUsed apiKey={key} />
                </Text>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Checkbox
        checked={revokes}
        onChange={(event) => setRevokes(event.currentTarget.checked)}
        label={`Also revoke ${one ? 'this key' : `these ${all}`}${inStates(keys)}`}
        description="This cannot be undone."
      />
    </ConfirmRevoke>
  )
}

const whyTyped = (count: number) =>
  count === 1
    ? '1 key was used in the last 24 hours, so something depends on it.'
    : `${count} keys were used in the last 24 hours, so something depends on them.`

/** ", 1 of them paused": those that nobody may think of. */
function inStates(keys: readonly { paused: boolean; expired: boolean }[]): string {
  if (keys.length === 1) return ''
  const [paused, expired] = [keys.filter((key) => key.paused && !key.expired), keys.filter((key) => key.expired)]
  const parts = [paused.length > 0 && `${paused.length} paused`, expired.length > 0 && `${expired.length} expired`]
  const words = parts.filter((part) => part !== false).join(', ')
  return words && ` (${words})`
}
