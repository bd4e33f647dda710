import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keysHeldQuery } from '../api/api-keys.ts'
import { Time } from '../ui/Time.tsx'

/** A notice while no key is accepted after a restore (C11). */
export function KeysHeld({ slug }: { slug: string }) {
  const { data: since } = useQuery(keysHeldQuery(slug))
  return since && <KeysHeldNotice since={since} />
}

/** While no key is accepted after a restore: what that means, and what can be done (C11). */
function KeysHeldNotice({ since }: { since: string }) {
  return (
    <Alert color="warning" role="status" mb="md">
      <Text fw={600}>API keys are held</Text>
      <Text size="sm">
        The database was restored to an earlier state (noticed <Time at={since} />
        ), so later revocations are missing. No API key is accepted until the portal administrator decides: calls get
        403 KEYS_HELD.
      </Text>
      <Text size="sm" mt="xs">
        Revoke the keys that should not be accepted again. Then the portal administrator releases the others with{' '}
        <span className="mono">portal restore accept</span>.
      </Text>
    </Alert>
  )
}
