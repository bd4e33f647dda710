import type { Ctx } from '../../ctx.ts'
import { HOUR } from '../../lib/clock.ts'
import { isPaused } from '../../verify-key.ts'
import type { ApiKey } from '../api-key.ts'
import { LONGEST_ADDRESS, LONGEST_AGENT } from '../usage/counter.ts'
import { type Counted, top, type UsageCount } from '../usage/read.ts'

/** Who was refused since the key was paused, within 48 hours: what a revoke would break. */
export interface RefusedWhilePaused {
  calls: number
  lastAt: number | null
  addresses: UsageCount[]
  otherAddressCalls: number
  userAgents: UsageCount[]
  otherUserAgentCalls: number
}

/** As written by usage/write.ts. */
interface Seen {
  paused?: { since: number; calls: number; lastAt: number; addresses: Counted; agents: Counted }
}

/** Null: it is not paused. Hours are stored for 48 hours. */
export async function refusedWhilePaused({ db, now }: Ctx, key: ApiKey): Promise<RefusedWhilePaused | null> {
  const { id, pausedAt } = key
  if (pausedAt === null || !isPaused(key, now())) return null
  const rows = await db
    .selectFrom('apiKeyUsage')
    .select('seen')
    .where('keyId', '=', id)
    .where('hour', '>=', pausedAt - (pausedAt % HOUR))
    .execute()
  const uses = rows
    .map(({ seen }) => (JSON.parse(seen) as Seen).paused)
    .filter((paused) => paused !== undefined)
    .filter(({ since }) => since === pausedAt)
  const addresses = top(
    uses.flatMap((use) => use.addresses),
    LONGEST_ADDRESS,
  )
  const userAgents = top(
    uses.flatMap((use) => use.agents),
    LONGEST_AGENT,
  )
  return {
    calls: uses.reduce((sum, { calls }) => sum + calls, 0),
    lastAt: uses.length === 0 ? null : Math.max(...uses.map(({ lastAt }) => lastAt)),
    addresses: addresses.listed,
    otherAddressCalls: addresses.otherCalls,
    userAgents: userAgents.listed,
    otherUserAgentCalls: userAgents.otherCalls,
  }
}
