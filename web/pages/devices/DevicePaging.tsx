import { Group } from '@mantine/core'
import type { DeviceList, DeviceSearch } from '../../api/devices.ts'
import { LinkButton } from './DeviceTags.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    earlier?: string[]
  }
}

interface DevicePagingProps {
  slug: string
  wanted: DeviceSearch
  list: DeviceList
  /** Where the pages between the first and this one begin; unknown to who came by a link. */
  earlier: string[] | undefined
}

/** The pages before and after. */
export function DevicePaging({ slug, wanted, list, earlier }: DevicePagingProps) {
  const { after, ...rest } = wanted
  const { hasNextPage, endCursor } = list.pageInfo
  if (!after && !hasNextPage) return null
  const passed = earlier ?? []
  const previous = passed.at(-1)
  return (
    <Group component="nav" aria-label="Pages" justify="flex-end" gap="xs" mt="md">
      {after && (
        <LinkButton
          variant="default"
          to="/$slug/devices"
          params={{ slug }}
          search={{ ...rest, ...(previous && { after: previous }) }}
          state={{ earlier: passed.slice(0, -1) }}
        >
          {earlier ? 'Previous' : 'First page'}
        </LinkButton>
      )}
      {hasNextPage && endCursor && (
        <LinkButton
          variant="default"
          to="/$slug/devices"
          params={{ slug }}
          search={{ ...rest, after: endCursor }}
          state={{ ...(after ? earlier && { earlier: [...earlier, after] } : { earlier: [] }) }}
        >
          Next
        </LinkButton>
      )}
    </Group>
  )
}
