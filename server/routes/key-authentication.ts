import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { CanaryWatch } from '../api-keys/canary/watch.ts'
import type { UsageCounter } from '../api-keys/usage/counter.ts'
import type { Refusals } from '../audit/refusals.ts'
import type { Database } from '../db/database.ts'
import type { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { hashSecret } from '../lib/secret.ts'
import { sourceOf } from '../lib/source.ts'
import { type AcceptedKey, type KeyVerdict, keyRefused, type RefusedKey, verifyKey } from '../verify-key.ts'
import { prepareAnswer } from './error-response.ts'
import { misplacedSecret, missingKey } from './key-headers.ts'
import type { RateLimits } from './rate-limit.ts'

/** A request that should have a key. */
export interface KeyRequest {
  readonly request: IncomingMessage
  readonly address: string
  /** Set when the key is known, accepted or not. */
  keyId: string | undefined
}

interface Parts {
  database: Database
  now: Clock
  limits: RateLimits | undefined
  usage: UsageCounter
  canaries: CanaryWatch
  refusals: Refusals
}

/** Finds the key of a request; what is refused is counted and noted here. */
export function createKeyAuthentication({ database, now, limits, usage, canaries, refusals }: Parts) {
  prepareAnswer(keyRefused('invalid'))
  prepareAnswer(keyRefused('expired'))

  function admit(call: KeyRequest, verdict: KeyVerdict): MaybePromise<AcceptedKey | AppError> {
    if (verdict.outcome !== 'accepted') return refuse(call, verdict)
    call.keyId = verdict.caller.keyId
    return verdict
  }

  function refuse(call: KeyRequest, verdict: Exclude<KeyVerdict, AcceptedKey>): MaybePromise<AppError> {
    const { address } = call
    const { headers } = call.request
    if (verdict.outcome !== 'invalid') {
      call.keyId = verdict.keyId
      noteRefusal(verdict, headers, address)
    } else if (verdict.secretHash) noteUnknown(verdict.secretHash, headers, address)
    const error = verdict.outcome === 'invalid' ? keyRefused('invalid') : verdict.error
    const isCounted = verdict.outcome === 'invalid' || verdict.outcome === 'expired'
    return limits && isCounted ? limits.countRefusal(sourceOf(address)).then(() => error) : error
  }

  async function refuseWithoutKey({ request, address }: KeyRequest): Promise<AppError> {
    await noteMisplaced(request.headers, address)
    return missingKey(request)
  }

  /** Whoever finds the secret of a canary key may try it in another header first. */
  async function noteMisplaced(headers: IncomingHttpHeaders, address: string): Promise<void> {
    const secret = misplacedSecret(headers)
    if (secret === undefined) return
    const isOverLimit = await limits?.countRefusal(sourceOf(address)).then(
      () => false,
      () => true,
    )
    if (!isOverLimit) noteUnknown(hashSecret(secret), headers, address)
  }

  const noteUnknown = (secretHash: Uint8Array, headers: IncomingHttpHeaders, address: string) =>
    canaries.note(secretHash, { at: now(), address, userAgent: headers['user-agent'] ?? '' })

  function noteRefusal(refused: RefusedKey, { 'user-agent': agent }: IncomingHttpHeaders, address: string): void {
    const { outcome, keyId, label, organizationId, pausedAt, error: why } = refused
    usage.noteRefusal(keyId, now())
    if (outcome === 'paused' && pausedAt !== null)
      usage.noteWhilePaused(keyId, now(), { pausedAt, from: address, agent })
    const [reason = ''] = why.message.split(/[.:]/)
    const actor = { kind: 'API_KEY', id: keyId, name: label } as const
    refusals.note({ actor, organizationId }, { code: why.code, reason, source: sourceOf(address), ip: address })
  }

  /** The key of the request, or why it is not accepted. That is no exception: throwing it would cost more than all the rest. */
  return function authenticate(call: KeyRequest): MaybePromise<AcceptedKey | AppError> {
    const { request, address } = call
    const { headers } = request
    const secret = headers['api-secret']
    if (typeof secret !== 'string' || secret === '') return refuseWithoutKey(call)
    return andThen(verifyKey(database, secret, { address, origin: headers.origin }), (verdict) => admit(call, verdict))
  }
}
