import { Container, Skeleton, Stack } from '@mantine/core'

/** Shown while a page loads. */
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
