import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { COST_OF_DELIVERY } from '../graphql/cost.ts'
import { COST_OF_A_POINT } from '../graphql/limits.ts'
import { LIMITS } from '../limits.ts'

const enabledWebhooks = prepared((db, { organizationId }: { organizationId: string }) =>
  db.selectFrom('webhook').select('id').where('organizationId', '=', organizationId).where('enabled', '=', 1),
)

/** What a change costs beside its own points: a delivery of each of its events to each webhook of the organization. */
export async function pointsForEvents(db: Db, organizationId: string, events: number): Promise<number> {
  const pointsFor = (webhooks: number) => Math.floor((events * webhooks * COST_OF_DELIVERY) / COST_OF_A_POINT)
  if (pointsFor(LIMITS.webhooks) === 0) return 0
  return pointsFor((await enabledWebhooks(db, { organizationId })).length)
}
