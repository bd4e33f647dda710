import type { IncomingHttpHeaders } from 'node:http'
import type { CanaryWatch } from '../../api-keys/canary/watch.ts'
import type { UsageCounter } from '../../api-keys/usage/counter.ts'
import type { Refusals } from '../../audit/refusals.ts'
import { type AcceptedKey, type RefusedKey, verifyKey } from '../../caller/verify-key.ts'
import type { Database } from '../../db/database.ts'
import type { AppError } from '../../lib/app-error.ts'
import { sourceOf } from '../../lib/client-address.ts'
import type { Clock } from '../../lib/clock.ts'
import { hashSecret } from '../../secrets/secret.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { ApiCall } from './call.ts'
import { misplacedSecret, missingKey, unknownSecret } from './key-headers.ts'

interface Parts {
  database: Database
  now: Clock
  limits: RateLimits
  usage: UsageCounter
  canaries: CanaryWatch
  refusals: Refusals
}

/** Finds the key of a request and throws unless it is accepted now; what is refused is counted and noted here. */
export function createAuthentication({ database, now, limits, usage, canaries, refusals }: Parts) {
  async function refuseWithoutKey({ request, address }: ApiCall): Promise<AppError> {
    if (noteUnknown(request.headers, address)) await limits.countRefusedKey(sourceOf(address))
    return missingKey(request)
  }

  /** Notes a secret of no key: whoever finds that of a canary key may try it in another header first. False: there is none. */
  function noteUnknown(headers: IncomingHttpHeaders, address: string): boolean {
    const secret = misplacedSecret(headers)
    if (secret === undefined) return false
    canaries.note(hashSecret(secret), { at: now(), address, userAgent: headers['user-agent'] ?? '' })
    return true
  }

  function recordRefusedKey(refused: RefusedKey, { 'user-agent': agent }: IncomingHttpHeaders, address: string): void {
    const { outcome, keyId, label, organizationId, pausedAt, error: why } = refused
    usage.noteRefusedCall(keyId, now())
    if (outcome === 'paused' && pausedAt !== null)
      usage.noteWhilePaused(keyId, now(), { pausedAt, from: address, agent })
    const [reason = ''] = why.message.split(/[.:]/)
    const actor = { kind: 'API_KEY', id: keyId, name: label } as const
    refusals.add({ actor, organizationId }, { code: why.code, reason, source: sourceOf(address), ip: address })
  }

  return async function authenticate(call: ApiCall): Promise<AcceptedKey> {
    const { address } = call
    const { headers } = call.request
    const secret = headers['api-secret']
    if (typeof secret !== 'string' || secret === '') throw await refuseWithoutKey(call)
    const verdict = await verifyKey(database, secret, { address, origin: headers.origin })
    switch (verdict.outcome) {
      case 'accepted':
        call.keyId = verdict.caller.keyId
        call.key = verdict
        return verdict
      case 'invalid':
        noteUnknown(headers, address)
        await limits.countRefusedKey(sourceOf(address))
        throw unknownSecret(secret)
      default:
        call.keyId = verdict.keyId
        recordRefusedKey(verdict, headers, address)
        if (verdict.outcome === 'expired') await limits.countRefusedKey(sourceOf(address))
        throw verdict.error
    }
  }
}
