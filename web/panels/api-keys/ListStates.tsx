import { Alert, Skeleton, Stack } from '@mantine/core'

/** Above a list that could not be loaded, or not again. */
export const OutdatedKeys = ({ error }: { error: Error }) => (
  <Alert color="red" role="alert" mt="md">
    The list of keys may be out of date. {error.message}
  </Alert>
)

/** In place of a list that is not there yet. */
export const LoadingKeys = () => (
  <Stack mt="lg" aria-busy="true" aria-label="Loading" role="status">
    <Skeleton height={40} />
    <Skeleton height={40} />
    <Skeleton height={40} />
  </Stack>
)
