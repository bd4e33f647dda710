import { type QueryClient, queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiKeysQuery, type ListedKey } from '../../../api/api-keys.ts'
import { ApiError } from '../../../api/client.ts'
import { every } from '../../../api/polling.ts'

const CHECK_EVERY_MS = 5_000
const GIVE_UP_AFTER_MS = 60_000

/** A key that may have been generated, but whose secret was not received: the answer was cut off. */
export interface LostSecret {
  /** When it was asked for. */
  at: number
  error: ApiError
  /** The label that it was to have; absent: one that the portal makes up. */
  label: string | undefined
  userId: string | undefined
  /** The keys that there were before. */
  before: ReadonlySet<string>
}

/** The keys that there are before another is asked for. Those in the cache may be of before the last one. */
export async function keysBefore(queryClient: QueryClient, slug: string): Promise<ReadonlySet<string>> {
  const keys = await queryClient.fetchQuery({ ...apiKeysQuery(slug), staleTime: 0 })
  return new Set(keys.map(({ id }) => id))
}

/** Whether the secret of a new key may be lost. */
export const isLost = (error: unknown): error is ApiError => error instanceof ApiError && !error.isOutcomeKnown

/** Looks for the key in the list, which is current then; null when it is not there, or not yet. */
const lostKeyQuery = (slug: string, lost: LostSecret | undefined) =>
  queryOptions({
    queryKey: ['lost-key', slug, lost?.at],
    queryFn: lost
      ? async ({ client }) => {
          const keys = await client.fetchQuery({ ...apiKeysQuery(slug), staleTime: 0 })
          return keys.find((key) => isLostKey(key, lost)) ?? null
        }
      : skipToken,
    refetchInterval: (query) =>
      query.state.data || !lost || Date.now() > lost.at + GIVE_UP_AFTER_MS ? false : every(CHECK_EVERY_MS)(query),
    gcTime: 0,
  })

const isLostKey = ({ id, label, createdBy }: ListedKey, { label: wanted, userId, before }: LostSecret): boolean =>
  !before.has(id) && createdBy.id === userId && (wanted === undefined || label === wanted)

/** The secret that was lost last, and the key that it belongs to as soon as it is found. */
export function useLostSecret(slug: string) {
  const [lost, setLost] = useState<LostSecret>()
  const { data: found, error, isFetching, refetch } = useQuery(lostKeyQuery(slug, lost))
  return { lost, setLost, found: lost && found, error, isFetching, lookAgain: () => void refetch() }
}
