import type { Ctx } from '../../ctx.ts'
import { type ApiKeyAccess, includesField, isOpenToItself, NARROWER } from '../../key-access.ts'
import { keyRules } from '../../key-rules.ts'
import { DAY } from '../../lib/clock.ts'
import type { Retention } from '../../lib/retention.ts'
import type { ApiKey } from '../api-key.ts'
import { storedSince } from './days.ts'
import { type FieldUsage, usedFields } from './used-fields.ts'

/** A key whose usage is known for less than this may do something else every week. */
const ENOUGH_MS = 7 * DAY

/** What an access would have refused. */
export interface NarrowerAccess {
  access: ApiKeyAccess
  refused: FieldUsage[]
}

export interface AccessSuggestion {
  /** The narrowest that would have allowed everything; null: not enough is known to say so. */
  access: ApiKeyAccess | null
  /** From when on the usage is known. */
  since: number
  narrower: NarrowerAccess[]
}

/** What a key needs, by what it did in the last 30 days. Never more than it has. */
export async function suggestedAccess(
  ctx: Ctx,
  key: ApiKey,
  retention: Pick<Retention, 'usageDays'>,
): Promise<AccessSuggestion> {
  const { fields, knownSince } = await usedFields(ctx, key.id)
  const current = keyRules(key.rules).access
  const since = Math.max(knownSince, storedSince(ctx.now(), retention), key.createdAt)
  const narrower = NARROWER[current].map((access) => ({
    access,
    refused: fields.filter((used) => !includesField(access, used.field) && !isOfItself(key, used)),
  }))
  const isEnough = fields.length > 0 && ctx.now() - since >= ENOUGH_MS
  const narrowest = narrower.find(({ refused }) => refused.length === 0)?.access ?? current
  return { access: isEnough ? narrowest : null, since, narrower }
}

/** Whether a key called a field for itself, as any access may: rotated once, it was itself; more often, others. */
const isOfItself = ({ replacedById }: ApiKey, { field, calls }: FieldUsage) =>
  isOpenToItself(field) && replacedById !== null && calls === 1
