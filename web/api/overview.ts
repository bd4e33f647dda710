import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import { every } from './polling.ts'

const REFRESH_MS = 10_000
/** While somebody waits for something to show. */
const SOON_MS = 2_000

const OVERVIEW = graphql(`
  query Overview {
    overview {
      devices { total online offline neverSeen countedAt }
      apiKeys {
        active paused expiring expired unused lastUsedAt
        usage {
          days { at calls errors }
          busiest { apiKey { id label } calls errors }
        }
      }
      attention {
        kind count since
        apiKeys { apiKey { id label expiresAt } refusedCalls suggestedAccess }
        devices { id name lastSeenAt }
        webhooks { id url description }
      }
      auditEvents { id at action subject actor { kind id name } }
    }
  }
`)

export type Overview = ResultOf<typeof OVERVIEW>['overview']
export type DeviceCounts = Overview['devices']
export type KeysOverview = NonNullable<Overview['apiKeys']>
export type Attention = Overview['attention'][number]
export type RecentEvent = NonNullable<Overview['auditEvents']>[number]

/** Whether numbers are being counted, or the first call or check-in is still to come. */
function isAwaited({ devices, apiKeys }: Overview): boolean {
  if (devices.countedAt === null || apiKeys?.usage === null) return true
  const isFirstCall = apiKeys !== null && apiKeys.active > 0 && apiKeys.lastUsedAt === null
  return isFirstCall || (devices.total > 0 && devices.neverSeen === devices.total)
}

/** The organization at a glance; it stays current by itself. */
export const overviewQuery = (slug: string) =>
  queryOptions({
    queryKey: ['overview', slug],
    queryFn: async () => (await request(OVERVIEW, {}, slug)).overview,
    refetchInterval: (query) => {
      const { data } = query.state
      return every(data && isAwaited(data) ? SOON_MS : REFRESH_MS)(query)
    },
  })

const SILENT_DEVICE = graphql(`
  query SilentDevice {
    devices(first: 1, filter: { status: NEVER_SEEN }) { data { id name } }
  }
`)

/** A device that has not checked in yet; null if there is none. */
export const silentDeviceQuery = (slug: string) =>
  queryOptions({
    queryKey: ['devices', slug, 'silent'],
    queryFn: async () => (await request(SILENT_DEVICE, {}, slug)).devices.data[0] ?? null,
  })
