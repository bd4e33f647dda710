import { Alert, Code, Text } from '@mantine/core'
import type { ApiError } from '../api/client.ts'

/** An error that belongs to no field; an internal error shows the request id to report. */
export function ErrorAlert({ error }: { error: ApiError }) {
  return (
    <Alert color="danger" role="alert">
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
