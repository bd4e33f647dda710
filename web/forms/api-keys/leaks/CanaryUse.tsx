import { Text } from '@mantine/core'
import type { CanaryKey } from '../../../api/canary-keys.ts'
import { Time } from '../../../ui/Time.tsx'

/** A canary key, and whether somebody has found it. */
export function CanaryUse({ canary }: { canary: CanaryKey }) {
  const { label, prefix, calls, lastUsedAt, lastUsedIp, lastUsedUserAgent, leakedAt } = canary
  return (
    <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      <Text fw={600}>
        {label}{' '}
        <Text span size="sm" c="dimmed" className="mono">
          {prefix}…
        </Text>
      </Text>
      {calls === 0 ? (
        <Text size="sm" c="dimmed">
          Never used
        </Text>
      ) : (
        <Text size="sm" c="red.9" fw={600}>
          Used {calls === 1 ? 'once' : `${calls} times`}, last from {lastUsedIp} <Time at={lastUsedAt} />
          {lastUsedUserAgent && ` by ${lastUsedUserAgent}`}
        </Text>
      )}
      {leakedAt && (
        <Text size="sm">
          Its secret was reported as found <Time at={leakedAt} />
        </Text>
      )}
    </div>
  )
}
