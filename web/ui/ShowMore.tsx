import { Box, Button, Center } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

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

const OUTDATED_OPACITY = 0.6

/** Pale while what is shown is about to be replaced. */
export const Outdated = ({ is, busy = is, children }: { is: boolean; busy?: boolean; children: ReactNode }) => (
  <Box aria-busy={busy} opacity={is ? OUTDATED_OPACITY : 1}>
    {children}
  </Box>
)
