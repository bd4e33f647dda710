import { Container, Skeleton, Stack } from '@mantine/core'

/** In place of a page that is on its way. */
export function PageLoading() {
  return (
    <Container size="xl" py="lg" role="status" aria-label="Loading">
      <Stack>
        <Skeleton height={32} width={220} />
        <Skeleton height={44} />
        <Skeleton height={44} />
        <Skeleton height={44} />
      </Stack>
    </Container>
  )
}
