import { type ApiKey, keysByIds } from '../api-keys/api-key.ts'
import type { Ctx } from '../caller/ctx.ts'
import type { ApiKeyAccess } from '../caller/key-rules.ts'
import type { Config } from '../config.ts'
import type { Device } from '../devices/stored-device.ts'
import { listWebhooks, type Webhook } from '../webhooks/webhook.ts'
import { problemsOfInstallation } from './installation-problems.ts'
import {
  broadKeys,
  expiringKeys,
  type FoundKey,
  type KnownKeys,
  refusedKeys,
  type Suggesting,
  unusedKeys,
} from './key-attention.ts'
import { longOffline } from './long-offline.ts'

/** So many of each kind are listed. */
export const LISTED = 5

/** In the order in which they are listed: what ends access or loses data first. */
export const KINDS = [
  'BACKUP_FAILED',
  'BACKUP_MISSING',
  'DATABASE_NEWER',
  'WEBHOOK_PAUSED',
  'API_KEY_REFUSED',
  'API_KEY_EXPIRING',
  'DEVICE_OFFLINE',
  'API_KEY_TOO_BROAD',
  'API_KEY_UNUSED',
] as const
export type AttentionKind = (typeof KINDS)[number]

export interface AttentionKey {
  apiKey: ApiKey
  refusedCalls: number | null
  suggestedAccess: ApiKeyAccess | null
}

/** One kind of what needs attention: how many there are, and the first of them. */
export interface Attention {
  kind: AttentionKind
  count: number
  since: number | null
  apiKeys: AttentionKey[]
  devices: Device[]
  webhooks: Webhook[]
}

const item = (kind: AttentionKind, count: number, of: Partial<Attention>): Attention => ({
  ...{ since: null, apiKeys: [], devices: [], webhooks: [] },
  ...of,
  kind,
  count,
})

/** What somebody should look at, the most urgent first. A Member sees devices alone; a narrowed key no webhooks. */
export async function needsAttention(
  ctx: Ctx,
  known: KnownKeys | null,
  { backups, ...suggesting }: Suggesting & Pick<Config, 'backups'>,
): Promise<Attention[]> {
  const all = await Promise.all([
    problemsOfInstallation(ctx, backups).then((problems) =>
      problems.map(({ kind, since }) => item(kind, 1, { since })),
    ),
    attentionOfWebhooks(ctx),
    known === null ? [] : attentionOfKeys(ctx, known, suggesting),
    attentionOfDevices(ctx),
  ])
  const found = all.flat().filter(({ count }) => count > 0)
  return found.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
}

async function attentionOfKeys(ctx: Ctx, known: KnownKeys, suggesting: Suggesting): Promise<Attention[]> {
  const now = ctx.now()
  const found: [AttentionKind, FoundKey[]][] = [
    ['API_KEY_REFUSED', refusedKeys(known, now)],
    ['API_KEY_EXPIRING', expiringKeys(known, now)],
    ['API_KEY_TOO_BROAD', await broadKeys(ctx, known, suggesting)],
    ['API_KEY_UNUSED', unusedKeys(known, now)],
  ]
  const ids = found.flatMap(([, keys]) => keys.slice(0, LISTED).map(({ id }) => id))
  if (ids.length === 0) return []
  const apiKeys = await keysByIds(ctx, ids)
  const shown = ({ id, refusedCalls, suggestedAccess }: FoundKey): AttentionKey[] => {
    const apiKey = apiKeys.find((key) => key?.id === id)
    if (!apiKey) return [] // revoked in the meantime
    return [{ apiKey, refusedCalls: refusedCalls ?? null, suggestedAccess: suggestedAccess ?? null }]
  }
  return found.map(([kind, keys]) => item(kind, keys.length, { apiKeys: keys.slice(0, LISTED).flatMap(shown) }))
}

/** Webhooks that the portal has paused: what somebody disabled is disabled on purpose. */
async function attentionOfWebhooks(ctx: Ctx): Promise<Attention[]> {
  const { caller } = ctx
  if (caller.role !== 'ADMIN' || (caller.kind === 'API_KEY' && caller.rules.access !== 'ADMIN')) return []
  const paused = (await listWebhooks(ctx)).filter(({ enabled, pausedReason }) => enabled === 0 && pausedReason !== null)
  return [item('WEBHOOK_PAUSED', paused.length, { webhooks: paused.slice(0, LISTED) })]
}

async function attentionOfDevices(ctx: Ctx): Promise<Attention[]> {
  const { count, first } = await longOffline(ctx, LISTED)
  return [item('DEVICE_OFFLINE', count, { devices: first })]
}
