import { Alert } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'

/** Says that the connection is gone, for as long as it is. */
export function Offline() {
  const { online } = useNetwork()
  if (online) return null
  return (
    <Alert color="yellow" role="status" radius={0}>
      You are offline. What you see may be old; nothing is saved until the connection is back.
    </Alert>
  )
}
