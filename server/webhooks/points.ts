import type { Stored } from '../caller/ctx.ts'
import { LIMITS } from '../config/limits.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { COST_OF_DELIVERY, pointsForStored } from '../graphql/cost.ts'
import { COST_OF_A_POINT } from '../graphql/operation-limits.ts'

/** Bytes of an event that the points of its change cover: so a small change asks for nothing more. */
const COVERED_BYTES = 1_000

const enabledWebhooks = prepared((db, { organizationId }: { organizationId: string }) =>
  db.selectFrom('webhook').select('id').where('organizationId', '=', organizationId).where('enabled', '=', 1),
)

/** What a change costs beside its own points: a delivery of each of its events to each webhook of the organization. */
export async function pointsForEvents(db: Db, organizationId: string, { events, eventBytes }: Stored): Promise<number> {
  const bytes = Math.max(0, eventBytes - events * COVERED_BYTES)
  const pointsFor = (webhooks: number) =>
    Math.floor((events * webhooks * COST_OF_DELIVERY) / COST_OF_A_POINT) + pointsForStored(bytes * webhooks)
  if (pointsFor(LIMITS.webhooks) === 0) return 0
  return pointsFor((await enabledWebhooks(db, { organizationId })).length)
}
