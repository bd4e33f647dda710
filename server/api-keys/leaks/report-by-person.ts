import { type Ctx, inTransactionOn, requireAdmin, requirePerson } from '../../caller/ctx.ts'
import { API_KEY_COLUMNS } from '../../db/api-key-row.ts'
import type { Receipt } from '../../db/transaction.ts'
import { badInput } from '../../lib/check.ts'
import { isWellFormed } from '../../secrets/secret.ts'
import type { ApiKey } from '../api-key.ts'
import { notifyLeakedCanary } from '../canary/alarm.ts'
import { type CanaryApiKey, visibleCanary } from '../canary/canary.ts'
import { findSecrets } from './leaked-secrets.ts'
import { placeOf } from './report.ts'
import { revokeLeakedKeys } from './revoke-leaked.ts'

export interface ReportedLeak {
  revoked: boolean
  /** The key as it was, for an Admin of its organization. */
  apiKey: ApiKey | undefined
  canaryApiKey: CanaryApiKey | undefined
  /** How many keys that it generated are not revoked; 0 for whoever may not see the key. */
  descendants: number
  receipt: Receipt
}

const NOTHING: ReportedLeak = {
  revoked: false,
  apiKey: undefined,
  canaryApiKey: undefined,
  descendants: 0,
  receipt: { durable: true },
}

export interface PersonalReport {
  secret: string
  url?: string | null | undefined
  origin: string
}

/** Revokes the key that has this secret in any organization: who has it could use the key. Says nothing that the caller may not see. */
export async function reportLeakedKey(
  outer: Ctx,
  { secret: given, url, origin }: PersonalReport,
): Promise<ReportedLeak> {
  if (outer.caller.kind !== 'SYSTEM') requirePerson(outer)
  const secret = checkSecret(given)
  const places = [placeOf(url ?? '', '')].filter((place) => place.url !== '')
  const found = (await findSecrets(outer.database, [secret])).get(secret)
  const key = found?.is === 'key' ? found : undefined
  return inTransactionOn(
    { ...outer, usesReserve: 'revoke' },
    (ctx) => keyWith(ctx, key?.id),
    async (ctx, row) => {
      if (found?.is === 'canary') {
        await notifyLeakedCanary(ctx.db, found.id, places, { now: ctx.now(), origin })
        return { ...NOTHING, canaryApiKey: await visibleCanary(ctx, found.id) }
      }
      if (!key || !row) return NOTHING
      const { id, organizationId } = key
      const report = { organizationId, places: new Map([[id, places]]), reporter: 'caller', origin } as const
      const leaked = await revokeLeakedKeys(ctx, report)
      const isShown = organizationId === outer.caller.organizationId && ctx.caller.role === 'ADMIN'
      return {
        revoked: leaked.keys.length > 0,
        apiKey: isShown ? row : undefined,
        canaryApiKey: undefined,
        descendants: isShown ? (leaked.keys[0]?.descendants ?? 0) : 0,
        receipt: leaked.receipt,
      }
    },
  )
}

const keyWith = ({ reads }: Ctx, id: string | undefined): Promise<ApiKey | undefined> =>
  reads
    .selectFrom('apiKey')
    .select(API_KEY_COLUMNS)
    .where('id', '=', id ?? '')
    .executeTakeFirst()

/** The key of the organization that has this secret, so that a person sees which one before it is revoked. */
export async function apiKeyBySecret(ctx: Ctx, given: string): Promise<ApiKey | undefined> {
  if (ctx.caller.kind !== 'SYSTEM') requirePerson(ctx)
  requireAdmin(ctx.caller)
  const secret = checkSecret(given)
  const found = (await findSecrets(ctx.database, [secret])).get(secret)
  if (found?.is !== 'key') return undefined
  const key = await keyWith(ctx, found.id)
  return key?.organizationId === ctx.caller.organizationId ? key : undefined
}

/** The secret without blanks around it; throws unless it is whole. */
export function checkSecret(given: string): string {
  const secret = given.trim()
  if (!isWellFormed('emp_', secret))
    throw badInput(
      'secret',
      'secret: this is not the whole secret of an API key, which is emp_ and 49 letters and digits.',
    )
  return secret
}
