import type { Ctx } from '../../caller/ctx.ts'
import { type ApiKeyAccess, type FieldAccess, includes, keyRules, NARROWER } from '../../caller/key-rules.ts'
import type { Retention } from '../../config/retention-period.ts'
import { DAY } from '../../lib/clock.ts'
import type { ApiKey } from '../api-key.ts'
import { storedSince } from './days.ts'
import { type FieldUsage, usedFields } from './used-fields.ts'

/** A key whose usage is known for less than this may do something else every week. */
const ENOUGH_MS = 7 * DAY

export interface NarrowerAccess {
  access: ApiKeyAccess
  refused: FieldUsage[]
}

export interface AccessSuggestion {
  /** The narrowest that would have allowed everything; null: not enough is known to say so. */
  access: ApiKeyAccess | null
  since: number
  narrower: NarrowerAccess[]
}

/** What a key needs, by what it did in the last 30 days. Never more than it has. */
export async function suggestedAccess(
  ctx: Ctx,
  key: ApiKey,
  { retention, accessNamed }: { retention: Pick<Retention, 'usageDays'>; accessNamed: (field: string) => FieldAccess },
): Promise<AccessSuggestion> {
  const { fields, knownSince } = await usedFields(ctx, key.id)
  const current = keyRules(key.rules).access
  const since = Math.max(knownSince, storedSince(ctx.now(), retention), key.createdAt)
  const narrower = NARROWER[current].map((access) => ({
    access,
    refused: fields.filter((used) => {
      const field = accessNamed(used.field)
      return !includes(access, field) && !isOfItself(key, field, used)
    }),
  }))
  const isEnough = fields.length > 0 && ctx.now() - since >= ENOUGH_MS
  const narrowest = narrower.find(({ refused }) => refused.length === 0)?.access ?? current
  return { access: isEnough ? narrowest : null, since, narrower }
}

/** Whether a key called a field for itself, as any access may: rotated once, it was itself; more often, others. */
const isOfItself = ({ replacedById }: ApiKey, { idOf }: FieldAccess, { calls }: FieldUsage) =>
  idOf === 'CALLING_KEY' && replacedById !== null && calls === 1
