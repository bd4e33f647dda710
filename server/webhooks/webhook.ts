import { sql } from 'kysely'
import { about, recordEvent } from '../audit/audit-event.ts'
import { changesBetween, createdWith, deletedWith } from '../audit/changed-fields.ts'
import type { EventType } from '../audit/webhook-events/event-types.ts'
import {
  actorOf,
  type Ctx,
  inTransaction,
  requireAdmin,
  type TransactionCtx,
  withOrganizationLock,
} from '../caller/ctx.ts'
import { LIMITS, limitExceeded } from '../config/limits.ts'
import type { WebhookConfig } from '../config.ts'
import { countRows } from '../db/count.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import type { WebhookTable } from '../db/webhook-tables.ts'
import { offlineBefore } from '../devices/device-status.ts'
import { notFound } from '../lib/app-error.ts'
import { badInput } from '../lib/check.ts'
import { DAY, SECOND } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { requireVerifiedEmail } from '../users/verified-email.ts'
import { createDestinations } from './destinations.ts'
import { checkWebhook, type WebhookInput, type WebhookValues } from './webhook-input.ts'
import { newWebhookSecret, webhookEncryptionOf } from './webhook-secret.ts'

/** All public columns of a webhook; its secrets have to be selected by name. */
export type Webhook = Omit<WebhookTable, 'secret' | 'previousSecret'>

export const MAX_OVERLAP_SECONDS = (7 * DAY) / SECOND
export const DEFAULT_OVERLAP_SECONDS = DAY / SECOND

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

export interface CreatedWebhook {
  webhook: Webhook
  secret: string
}

type NewWebhook = WebhookInput & { url: string; events: readonly EventType[] }

/** Creates a webhook: from then on it is notified of the events of these types. */
export function createWebhook(outer: Ctx, input: NewWebhook, config: WebhookConfig): Promise<CreatedWebhook> {
  requireAdmin(outer.caller)
  const values = checkWebhook(input, createDestinations(config))
  const encryption = webhookEncryptionOf(config)
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

/** From now on the devices of an organization are watched: those that are offline already are not reported. */
async function followDevices({ db, caller, now }: TransactionCtx): Promise<void> {
  const position = { offlineSeenAt: offlineBefore(now()), offlineDeviceId: '' }
  await db
    .insertInto('webhookProgress')
    .values({ organizationId: caller.organizationId, version: 0, ...position })
    .onConflict((conflict) =>
      conflict.column('organizationId').doUpdateSet({
        offlineSeenAt: sql`excluded."offlineSeenAt"`,
        offlineDeviceId: sql`excluded."offlineDeviceId"`,
      }),
    )
    .execute()
}

/** Changes the given fields and leaves the others. Enabling one that was paused tries its pending deliveries again. */
export function updateWebhook(outer: Ctx, id: string, input: WebhookInput, config: WebhookConfig): Promise<Webhook> {
  requireAdmin(outer.caller)
  const values = checkWebhook(input, createDestinations(config))
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

/** Gives a webhook a new secret. Until the overlap ends the old one signs as well: a receiver may know either. */
export function rotateWebhookSecret(
  outer: Ctx,
  id: string,
  overlapSeconds: number,
  config: WebhookConfig,
): Promise<CreatedWebhook> {
  requireAdmin(outer.caller)
  if (!(overlapSeconds >= 0 && overlapSeconds <= MAX_OVERLAP_SECONDS))
    throw badInput('overlapSeconds', `overlapSeconds: 0 to ${MAX_OVERLAP_SECONDS}.`)
  const encryption = webhookEncryptionOf(config)
  return inTransaction(outer, async (ctx) => {
    await lockWebhook(ctx, id)
    const now = ctx.now()
    const secret = newWebhookSecret()
    const until = overlapSeconds === 0 ? null : now + overlapSeconds * SECOND
    const webhook = await webhookUpdate(ctx, id)
      .set((eb) => ({
        previousSecret: until === null ? null : eb.ref('secret'),
        previousSecretUntil: until,
        secret: encryption.encrypt(secret, id),
        updatedAt: now,
      }))
      .returning(COLUMNS)
      .executeTakeFirstOrThrow()
    const overlap = until === null ? 'at once' : `the old one signs as well until ${new Date(until).toISOString()}`
    const { details, ...subject } = webhookSubject(webhook)
    await recordEvent(ctx, { action: 'webhook.secret_rotated', ...subject, details: `${overlap}; ${details}` })
    return { webhook, secret }
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
      .executeTakeFirstOrThrow(notFound)
    await recordEvent(ctx, {
      action: 'webhook.deleted',
      ...webhookSubject(deleted),
      changes: deletedWith(auditedWebhook(deleted)),
      budget: 'RESERVE',
    })
    return id
  })
}

export async function listWebhooks(ctx: Ctx): Promise<Webhook[]> {
  requireAdmin(ctx.caller)
  return webhooksOf(ctx).select(COLUMNS).orderBy('id', 'desc').limit(LIMITS.webhooks).execute()
}

/** A webhook of the caller's organization; one of another organization does not exist. */
export async function findWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  requireAdmin(ctx.caller)
  return webhooksOf(ctx).select(COLUMNS).where('id', '=', id).executeTakeFirstOrThrow(notFound)
}

/** Finds and locks a webhook: nobody else changes it until the transaction ends. */
export const lockWebhook = (ctx: TransactionCtx, id: string): Promise<Webhook> =>
  forNoKeyUpdate(ctx.db, webhooksOf(ctx).select(COLUMNS).where('id', '=', id)).executeTakeFirstOrThrow(notFound)

const webhooksOf = ({ reads, caller }: Ctx) =>
  reads.selectFrom('webhook').where('organizationId', '=', caller.organizationId)

const webhookUpdate = ({ db, caller }: TransactionCtx, id: string) =>
  db.updateTable('webhook').where('organizationId', '=', caller.organizationId).where('id', '=', id)

export const webhookSubject = ({ id, url, description }: Pick<Webhook, 'id' | 'url' | 'description'>) =>
  ({ ...about('WEBHOOK', id, description ?? new URL(url).host), details: `webhook ${id}` }) as const

/** As the audit log shows it: without the path of the URL, which may contain a token. */
const auditedWebhook = ({ url, description, events, enabled }: Webhook) => ({
  url: new URL(url).origin,
  description,
  events: eventsOf({ events }),
  enabled: enabled === 1,
})

export const eventsOf = ({ events }: Pick<Webhook, 'events'>) => JSON.parse(events) as EventType[] // written only by checkEvents
