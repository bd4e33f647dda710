import { Button, Center } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'

interface ShowMoreProps {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'>
  children: string
}

/** Below a list: the button for its next page, while there is one. */
export function ShowMore({ query, children }: ShowMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <Center mt="md">
      <Button variant="default" onClick={() => query.fetchNextPage()} loading={query.isFetchingNextPage}>
        {children}
      </Button>
    </Center>
  )
}
