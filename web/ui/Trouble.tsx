import { Alert, Code, Text } from '@mantine/core'
import type { ApiError } from '../api/client.ts'

/** What went wrong, where no field can say it; a mistake of the portal's own comes with the number to report. */
export function Trouble({ error }: { error: ApiError }) {
  return (
    <Alert color="red" role="alert">
      {error.message}
      <RequestId error={error} />
    </Alert>
  )
}

export function RequestId({ error }: { error: ApiError }) {
  if (!error.requestId || !['INTERNAL', 'UNAVAILABLE'].includes(error.code)) return null
  return (
    <Text component="span" display="block" size="sm" mt="xs">
      Request <Code>{error.requestId}</Code>
    </Text>
  )
}
