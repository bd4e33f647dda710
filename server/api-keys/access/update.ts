import { changesBetween } from '../../audit/changed-fields.ts'
import { type Ctx, requireKeyManager } from '../../caller/ctx.ts'
import { NO_OWN_RULES, type OwnRules, ownRulesIn, readRules, writeRules } from '../../caller/key-rules.ts'
import { isWider } from '../../caller/key-width.ts'
import type { ApiKey } from '../api-key.ts'
import { changeKey } from '../change-key.ts'
import {
  checkDevice,
  checkNotBefore,
  type OwnRulesInput,
  ownRulesAfter,
  ownRulesInWords,
  shownRules,
} from './own-rules.ts'
import { requireNarrower } from './width.ts'

/** Narrows or widens a key: from its answer on, requests are judged by the new rules, and no write by the old ones commits (C12). */
export function updateApiKey(outer: Ctx, id: string, input: OwnRulesInput): Promise<ApiKey> {
  requireKeyManager(outer.caller)
  ownRulesAfter({}, input) // what is wrong with the input alone
  return changeKey(outer, id, async (ctx, key) => {
    const stored = readRules(key.rules)
    const before = ownRulesIn(stored)
    const after = ownRulesAfter(before, input)
    const wanted = { ...stored, ...NO_OWN_RULES, ...after }
    requireNarrower(ctx.caller, wanted, stored)
    checkNotBefore(after, key.expiresAt)
    await checkDevice(ctx, input, after)
    const rules = writeRules(wanted)
    if (rules === key.rules) return undefined
    const details = changesInWords(before, after)
    const changes = changesBetween(shownRules(before), shownRules(after))
    const event = { action: 'api_key.updated', details, changes } as const
    return { change: { rules }, event: isWider(wanted, stored) ? event : { ...event, budget: 'RESERVE' } }
  })
}

const changesInWords = (before: OwnRules, after: OwnRules) =>
  `${ownRulesInWords(after) || 'no restrictions'}, was ${ownRulesInWords(before) || 'no restrictions'}`
