import { recordEvent } from '../audit/audit-event.ts'
import { changesBetween, createdWith, deletedWith } from '../audit/changes.ts'
import type { EventType } from '../audit/webhook-events/event-types.ts'
import { actorOf, type Ctx, inTransaction, requireAdmin, withOrganizationLock } from '../ctx.ts'
import { countRows } from '../db/count.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import type { WebhookTable } from '../db/webhook-tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { Encryption } from '../lib/encryption.ts'
import { newId } from '../lib/id.ts'
import { LIMITS, limitExceeded } from '../limits.ts'
import { requireVerifiedEmail } from '../users/verified-email.ts'
import type { Destinations } from './destinations.ts'
import { followDevices } from './follow-devices.ts'
import { newWebhookSecret } from './signature.ts'
import { checkWebhook, type WebhookInput, type WebhookValues } from './webhook-input.ts'

/** All public columns of a webhook; its secrets have to be selected by name. */
export type Webhook = Omit<WebhookTable, 'secret' | 'previousSecret'>

export const COLUMNS = [
  'id',
  'organizationId',
  'url',
  'description',
  'events',
  'enabled',
  'pausedReason',
  'failingSince',
  'previousSecretUntil',
  'createdAt',
  'createdByKind',
  'createdById',
  'createdByName',
  'updatedAt',
] as const satisfies (keyof Webhook)[]

/** A webhook with its secret, which is shown nowhere else. */
export interface CreatedWebhook {
  webhook: Webhook
  secret: string
}

/** What the portal needs to create webhooks. */
export interface WebhookMeans {
  destinations: Destinations
  encryption: Encryption
}

type NewWebhook = WebhookInput & { url: string; events: readonly EventType[] }

/** Creates a webhook: from then on it is notified of the events of these types. */
export function createWebhook(
  outer: Ctx,
  input: NewWebhook,
  { destinations, encryption }: WebhookMeans,
): Promise<CreatedWebhook> {
  requireAdmin(outer.caller)
  const values = checkWebhook(input, destinations)
  return withOrganizationLock(outer, async (ctx) => {
    await requireVerifiedEmail(ctx)
    const existing = await countRows(webhooksOf(ctx))
    if (existing >= LIMITS.webhooks)
      throw limitExceeded('webhooks', `An organization has at most ${LIMITS.webhooks} webhooks: delete one.`)
    if (existing === 0) await followDevices(ctx)
    const now = ctx.now()
    const id = newId(now)
    const secret = newWebhookSecret()
    const creator = actorOf(ctx.caller)
    const webhook = await ctx.db
      .insertInto('webhook')
      .values({
        id,
        organizationId: ctx.caller.organizationId,
        ...(values as Required<WebhookValues>), // the API requires a URL and events
        description: values.description ?? null,
        enabled: 1,
        pausedReason: null,
        failingSince: null,
        secret: encryption.encrypt(secret, id),
        previousSecret: null,
        previousSecretUntil: null,
        createdAt: now,
        createdByKind: creator.kind,
        createdById: creator.id,
        createdByName: creator.name,
        updatedAt: now,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow()
    await recordEvent(ctx, {
      action: 'webhook.created',
      ...webhookSubject(webhook),
      changes: createdWith(auditedWebhook(webhook)),
    })
    return { webhook, secret }
  })
}

/** Changes the given fields and leaves the others. Enabling one that was paused tries its pending deliveries again. */
export function updateWebhook(
  outer: Ctx,
  id: string,
  input: WebhookInput,
  { destinations }: Pick<WebhookMeans, 'destinations'>,
): Promise<Webhook> {
  requireAdmin(outer.caller)
  const values = checkWebhook(input, destinations)
  return inTransaction(outer, async (ctx) => {
    const before = await lockWebhook(ctx, id)
    const isResumed = values.enabled === 1 && before.enabled === 0
    const after = { ...before, ...values, ...(isResumed && { pausedReason: null, failingSince: null }) }
    const changes = changesBetween(auditedWebhook(before), auditedWebhook(after))
    if (changes.length === 0 && before.url === after.url) return before
    if (isResumed) await requireVerifiedEmail(ctx)
    const { url, events, description, enabled, pausedReason, failingSince } = after
    const webhook = await webhookUpdate(ctx, id)
      .set({ url, events, description, enabled, pausedReason, failingSince, updatedAt: ctx.now() })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow()
    const isDisabled = before.enabled === 1 && after.enabled === 0
    await recordEvent(ctx, {
      action: 'webhook.updated',
      ...webhookSubject(webhook),
      changes,
      ...(isDisabled && { budget: 'RESERVE' }),
    })
    return webhook
  })
}

/** Deletes a webhook: nothing more is sent to it. A background job deletes its deliveries. */
export function deleteWebhook(outer: Ctx, id: string): Promise<string> {
  requireAdmin(outer.caller)
  return inTransaction(outer, async (ctx) => {
    const deleted = await ctx.db
      .deleteFrom('webhook')
      .where('organizationId', '=', ctx.caller.organizationId)
      .where('id', '=', id)
      .returning(COLUMNS)
      .executeTakeFirst()
    if (!deleted) throw new AppError('NOT_FOUND')
    await recordEvent(ctx, {
      action: 'webhook.deleted',
      ...webhookSubject(deleted),
      changes: deletedWith(auditedWebhook(deleted)),
      budget: 'RESERVE',
    })
    return id
  })
}

/** The webhooks of the organization, the newest first. */
export async function listWebhooks(ctx: Ctx): Promise<Webhook[]> {
  requireAdmin(ctx.caller)
  return webhooksOf(ctx).select(COLUMNS).orderBy('id', 'desc').limit(LIMITS.webhooks).execute()
}

/** A webhook of the caller's organization; one of another organization does not exist. */
export async function findWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  requireAdmin(ctx.caller)
  const webhook = await webhooksOf(ctx).select(COLUMNS).where('id', '=', id).executeTakeFirst()
  if (!webhook) throw new AppError('NOT_FOUND')
  return webhook
}

/** The same, and nobody else changes it until the transaction ends. */
export async function lockWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  const webhook = await forNoKeyUpdate(ctx.db, webhooksOf(ctx).select(COLUMNS).where('id', '=', id)).executeTakeFirst()
  if (!webhook) throw new AppError('NOT_FOUND')
  return webhook
}

const webhooksOf = ({ db, caller }: Ctx) => db.selectFrom('webhook').where('organizationId', '=', caller.organizationId)

export const webhookUpdate = ({ db, caller }: Ctx, id: string) =>
  db.updateTable('webhook').where('organizationId', '=', caller.organizationId).where('id', '=', id)

export const webhookSubject = ({ id, url, description }: Pick<Webhook, 'id' | 'url' | 'description'>) =>
  ({
    subject: description ?? new URL(url).host,
    subjectType: 'WEBHOOK',
    subjectId: id,
    details: `webhook ${id}`,
  }) as const

/** As the audit log shows it: without the path of the URL, which may contain a token. */
const auditedWebhook = ({ url, description, events, enabled }: Webhook) => ({
  url: new URL(url).origin,
  description,
  events: eventsOf({ events }),
  enabled: enabled === 1,
})

export const eventsOf = ({ events }: Pick<Webhook, 'events'>) => JSON.parse(events) as EventType[] // written only by checkEvents
