import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { deviceTagsQuery } from '../../api/devices.ts'
import { hasSecret } from '../../api/secret-text.ts'
import { MAX_TAG } from '../../limits.ts'

const TYPING_MS = 200
/** So many are listed at most: if there are fewer, they are all. */
const LISTED = 20

/** Tags of devices to suggest, with their numbers: those that begin with what is typed, if not all are known anyway. */
export function useTagsInUse(slug: string, typed: string, enabled = true) {
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS)
  const { data: first = [] } = useQuery({ ...deviceTagsQuery(slug, ''), enabled })
  const isMore = first.length === LISTED && search !== '' && search.length <= MAX_TAG && !hasSecret(search)
  const { data: found } = useQuery({ ...deviceTagsQuery(slug, search), enabled: enabled && isMore })
  return (isMore && found) || first
}

/** "12 devices"; the API counts up to 1,000. */
export const devicesWith = (count: number) =>
  `${count.toLocaleString()}${count === COUNTED ? ' or more' : ''} ${count === 1 ? 'device' : 'devices'}`

const COUNTED = 1_000
