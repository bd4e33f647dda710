import { recordEvent } from '../../audit/audit-event.ts'
import { changesBetween } from '../../audit/changes.ts'
import { type Ctx, requireKeyManager, withOrganizationLock } from '../../ctx.ts'
import { forUpdate } from '../../db/locks.ts'
import {
  NO_OWN_RULES,
  type OwnRules,
  ownRulesIn,
  readRules,
  requireKnownRules,
  versionFor,
  writeRules,
} from '../../key-rules.ts'
import { AppError } from '../../lib/app-error.ts'
import { type ApiKey, keyWith } from '../api-key.ts'
import {
  checkDevice,
  checkNotBefore,
  type OwnRulesInput,
  ownRulesAfter,
  ownRulesInWords,
  shownRules,
} from './own-rules.ts'
import { isWider, requireNarrower } from './width.ts'

/**
 * Narrows or widens a key; its secret stays. When this returns, every request that starts is judged by the new rules,
 * and no write by the old ones commits (C12). Under the lock of the organization, as a change of the policy.
 */
export function updateApiKey(outer: Ctx, id: string, input: OwnRulesInput): Promise<ApiKey> {
  requireKeyManager(outer.caller)
  ownRulesAfter({}, input) // what is wrong with the input alone
  return withOrganizationLock(outer, async (ctx) => {
    requireKeyManager(ctx.caller)
    const key = await forUpdate(ctx.db, keyWith(ctx, id)).executeTakeFirst() // waits for its writes in progress
    if (!key) throw new AppError('NOT_FOUND')
    requireKnownRules(key)
    const stored = readRules(key.rules)
    const before = ownRulesIn(stored)
    const after = ownRulesAfter(before, input)
    const wanted = { ...stored, ...NO_OWN_RULES, ...after }
    requireNarrower(ctx.caller, wanted, stored)
    checkNotBefore(after, key.expiresAt)
    await checkDevice(ctx, input, after)
    const rules = writeRules(wanted)
    if (rules === key.rules) return key
    const changed = { rules, rulesVersion: versionFor({ ...key, rules }) }
    await ctx.db.updateTable('apiKey').set(changed).where('id', '=', id).execute()
    await recordEvent(ctx, {
      action: 'api_key.updated',
      subject: key.label,
      subjectType: 'API_KEY',
      subjectId: id,
      details: `${changesInWords(before, after)}; key ${id}`,
      changes: changesBetween(shownRules(before), shownRules(after)),
      ...(!isWider(wanted, stored) && { budget: 'RESERVE' }),
    })
    return { ...key, ...changed }
  })
}

const changesInWords = (before: OwnRules, after: OwnRules) =>
  `${ownRulesInWords(after) || 'no restrictions'}, was ${ownRulesInWords(before) || 'no restrictions'}`
