import { changesBetween } from '../audit/changed-fields.ts'
import { queueEvents, type WebhookEvent } from '../audit/webhook-events/queue-events.ts'
import { actorOf, type TransactionCtx } from '../caller/ctx.ts'
import { offlineSince, statusOf } from './device-status.ts'
import type { Device } from './stored-device.ts'

export type BeforeCheckIn = Pick<Device, 'lastSeenAt' | 'firmwareVersion'>

export interface Back {
  device: Device
  before: BeforeCheckIn
}

export const isBack = (before: BeforeCheckIn | undefined, now: number): boolean =>
  before !== undefined && statusOf(before, now) !== 'ONLINE'

/** Tells webhooks of devices that are back, with the check-in; and that they went offline, where the background job has not yet. */
export async function notifyOnline(ctx: TransactionCtx, devices: readonly Back[]): Promise<void> {
  if (devices.length === 0) return
  const now = ctx.now()
  const { organizationId } = ctx.caller
  const actor = actorOf(ctx.caller)
  const events = devices.flatMap(({ device, before }): WebhookEvent[] => [
    ...(before.lastSeenAt === null ? [] : [offlineEvent(organizationId, { ...device, lastSeenAt: before.lastSeenAt })]),
    {
      ...aboutDevice(organizationId, device),
      type: 'device.online',
      at: now,
      actor,
      changes: changeOf(statusOf(before, now), 'ONLINE'),
    },
  ])
  const eventBytes = await queueEvents(ctx.db, now, events, 'UNLIMITED') // they are small, and too many pause the webhook
  ctx.noteStored?.({ bytes: 0, events: events.length, eventBytes })
}

const PORTAL = { kind: 'SYSTEM', id: null, name: 'portal' } as const

/** The event that a device went offline, five minutes after this check-in. */
export const offlineEvent = (
  organizationId: string,
  device: Pick<Device, 'id' | 'name'> & { lastSeenAt: number },
): WebhookEvent => ({
  ...aboutDevice(organizationId, device),
  type: 'device.offline',
  at: offlineSince(device.lastSeenAt),
  actor: PORTAL,
  changes: changeOf('ONLINE', 'OFFLINE'),
  checkIn: { seenAt: device.lastSeenAt, deviceId: device.id },
})

const aboutDevice = (organizationId: string, { id, name }: Pick<Device, 'id' | 'name'>) => ({
  organizationId,
  object: { type: 'DEVICE', id, name } as const,
})

const changeOf = (before: string, after: string) =>
  JSON.stringify(changesBetween({ status: before }, { status: after }))
