import { sql } from 'kysely'
import { queueTest, RETRY_MS } from '../audit/webhook-events/queue-events.ts'
import { actorOf, type Ctx, inTransaction, requireAdmin } from '../caller/ctx.ts'
import { LIMITS, limitExceeded } from '../config/limits.ts'
import { countMatching } from '../db/long-list.ts'
import type { Db } from '../db/tables.ts'
import type { WebhookDeliveryState, WebhookDeliveryTable } from '../db/webhook-tables.ts'
import { AppError, notFound } from '../lib/app-error.ts'
import { newestFirst, type Page, type PageArgs } from '../lib/page.ts'
import { lockWebhook, type Webhook, webhookSubject } from './webhook.ts'

export async function listDeliveries(
  ctx: Ctx,
  { id: webhookId }: Webhook,
  args: PageArgs & { state?: WebhookDeliveryState | null | undefined },
): Promise<Page<WebhookDeliveryTable>> {
  requireAdmin(ctx.caller)
  const { state } = args
  const matching = (db: Db) => {
    const all = db.selectFrom('webhookDelivery').where('webhookId', '=', webhookId)
    return state == null ? all : all.where('state', '=', state)
  }
  const find = (before: string | undefined, limit: number) => {
    const all = matching(ctx.reads).selectAll().orderBy('id', 'desc').limit(limit)
    return (before === undefined ? all : all.where('id', '<', before)).execute()
  }
  return newestFirst(args, find, () => countMatching(ctx, matching))
}

/** Queues a test for a webhook, also for one that is paused. It is tried once, and says nothing about other deliveries. */
export async function testWebhook(outer: Ctx, webhookId: string): Promise<WebhookDeliveryTable> {
  requireAdmin(outer.caller)
  const id = await inTransaction(outer, async (ctx) => {
    const webhook = await lockWebhook(ctx, webhookId)
    const { organizationId } = ctx.caller
    await requireFewTests(ctx.db, organizationId)
    const now = ctx.now()
    const object = { type: 'WEBHOOK', id: webhookId, name: webhookSubject(webhook).subject } as const
    const event = { organizationId, type: 'test', at: now, object, actor: actorOf(ctx.caller), changes: null } as const
    return queueTest(ctx.db, now, event, webhookId)
  })
  return outer.reads.selectFrom('webhookDelivery').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function requireFewTests(db: Db, organizationId: string): Promise<void> {
  const tests = db
    .selectFrom('webhookDelivery')
    .innerJoin('webhook', 'webhook.id', 'webhookDelivery.webhookId')
    .select('webhookDelivery.id')
    .where('state', '=', sql.lit('PENDING'))
    .where('event', '=', sql.lit('test'))
    .where('organizationId', '=', organizationId)
    .limit(LIMITS.webhook_tests)
  if ((await tests.execute()).length < LIMITS.webhook_tests) return
  throw limitExceeded('webhook_tests', `${LIMITS.webhook_tests} tests are on their way: wait for them.`)
}

/** Sends a delivery again, with the same id and body: at once, and if it fails for three days more, but a test once. */
export async function redeliverWebhook(outer: Ctx, id: string): Promise<WebhookDeliveryTable> {
  requireAdmin(outer.caller)
  return inTransaction(outer, async (ctx) => {
    const now = ctx.now()
    const delivery = ctx.db.selectFrom('webhookDelivery').selectAll().where('id', '=', id)
    const before = await delivery.executeTakeFirstOrThrow(notFound)
    const { enabled } = await lockWebhook(ctx, before.webhookId)
    const isTest = before.event === 'test'
    if (isTest && before.state === 'PENDING') return before // it is on its way
    if (isTest) await requireFewTests(ctx.db, ctx.caller.organizationId)
    else if (enabled === 0) throw new AppError('CONFLICT', { message: NOTHING_IS_SENT })
    await ctx.db
      .updateTable('webhookDelivery')
      .set({ state: 'PENDING', nextAttemptAt: now, retryUntil: isTest ? now : now + RETRY_MS })
      .where('id', '=', id)
      .execute()
    return delivery.executeTakeFirstOrThrow()
  })
}

const NOTHING_IS_SENT = 'Enable the webhook first: while it is disabled or paused, nothing but tests is sent to it.'
