import type { Database } from '../db/database.ts'
import { forKeyShare } from '../db/locks.ts'
import { lookup } from '../db/lookup.ts'
import type { ApiKeyTable, Db } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { LAST_MOMENT } from '../lib/clock.ts'
import { timeOfId } from '../lib/id.ts'
import { hashSecret, isWellFormed } from '../secrets/secret.ts'
import { type FieldCall, type KeyRules, keyRules, requireAccess, requireKnownRules } from './key-rules.ts'

/** Every reason for which a key is refused, with the error that its caller gets. */
const REFUSALS = {
  invalid: new AppError('API_KEY_INVALID'),
  expired: new AppError('API_KEY_EXPIRED'),
  held: new AppError('KEYS_HELD'),
  paused: new AppError('API_KEY_PAUSED'),
  'not yet': new AppError('FORBIDDEN', { message: 'This API key is not accepted yet.' }),
  'wrong network': new AppError('FORBIDDEN', {
    message: 'This API key is not accepted from this network. Ask an Admin to allow the address that you call from.',
  }),
  browser: new AppError('FORBIDDEN', {
    message: 'This API key is not accepted from a browser: call from a server or a script, without an Origin header.',
  }),
  'needs a label': new AppError('FORBIDDEN', {
    message: 'This API key needs a label before it is accepted again. Ask an Admin to rename it.',
  }),
}

type Refusal = keyof typeof REFUSALS

/** The parts of a request that decide whether its key is accepted. */
export interface CalledFrom {
  address: string
  /** The Origin header, which browsers send. */
  origin: string | undefined
}

/** The end of a pause that lasts until somebody resumes the key. */
export const UNTIL_RESUMED = LAST_MOMENT

/** A script with an API key: an Admin of the key's organization (K6), as far as the rules of the key go (C10). */
export interface ApiKeyCaller {
  kind: 'API_KEY'
  keyId: string
  label: string
  organizationId: string
  role: 'ADMIN'
  rules: KeyRules
  calledFrom: CalledFrom
}

export interface AcceptedKey {
  outcome: 'accepted'
  caller: ApiKeyCaller
  /** The first use of the key, which is recorded at once. */
  firstUse: boolean
  rotated: Rotated | undefined
}

/** A key that has been replaced: when, and when it expires. */
export interface Rotated {
  since: number
  until: number
}

/** A key that exists and is refused. */
export interface RefusedKey {
  outcome: Exclude<Refusal, 'invalid'>
  error: AppError
  keyId: string
  label: string
  organizationId: string
  pausedAt: number | null
}

interface InvalidKey {
  outcome: 'invalid'
}

export type KeyVerdict = AcceptedKey | RefusedKey | InvalidKey

const COLUMNS = [
  'id',
  'organizationId',
  'label',
  'expiresAt',
  'pausedUntil',
  'pausedAt',
  'lastUsedAt',
  'rules',
  'rulesVersion',
  'replacedById',
] as const satisfies (keyof ApiKeyTable)[]

type KeyRow = Pick<ApiKeyTable, (typeof COLUMNS)[number]>

/** The only query before a request runs, by the hash, through its unique index. */
const keyBySecret = lookup({ secretHash: 'bytes' }, (db, { secretHash }) =>
  db.selectFrom('apiKey').select(COLUMNS).where('secretHash', '=', secretHash),
)

/**
 * Decides whether a request with this secret is accepted, by the current state of the database. The answer is never
 * cached, so a revoked key is refused at once (K10). A key with rules of a newer version is neither accepted nor
 * refused: throws UNAVAILABLE.
 */
export async function verifyKey(database: Database, secret: string, calledFrom: CalledFrom): Promise<KeyVerdict> {
  if (!isWellFormed('emp_', secret)) return { outcome: 'invalid' }
  const secretHash = hashSecret(secret)
  const found = await database.lookUp(keyBySecret, { secretHash })
  return found.row ? verdictOn(found.row, found, calledFrom) : { outcome: 'invalid' }
}

function verdictOn(key: KeyRow, { now, isHeld }: { now: number; isHeld: boolean }, calledFrom: CalledFrom): KeyVerdict {
  const { id: keyId, organizationId, label, expiresAt, replacedById } = key
  requireKnownRules(key)
  const rules = keyRules(key.rules)
  const refusal = isHeld ? 'held' : refusalOf(key, rules, calledFrom, now)
  if (refusal)
    return {
      outcome: refusal,
      error: errorOf(refusal, key, rules),
      keyId,
      label,
      organizationId,
      pausedAt: key.pausedAt,
    }
  return {
    outcome: 'accepted',
    caller: { kind: 'API_KEY', keyId, label, organizationId, role: 'ADMIN', rules, calledFrom },
    firstUse: key.lastUsedAt === null,
    rotated:
      replacedById === null || expiresAt === null ? undefined : { since: timeOfId(replacedById), until: expiresAt },
  }
}

/**
 * Decides again inside a transaction (C12), on an accepted key by its id; throws if the key is refused now, or may
 * not do what is in progress. A revoke of the key, a pause or a change of its rules waits until the transaction ends.
 */
export async function requireKey(
  db: Db,
  { keyId, calledFrom }: ApiKeyCaller,
  { now, rootCall }: { now: number; rootCall: FieldCall | undefined },
): Promise<Pick<ApiKeyCaller, 'rules'>> {
  const row = db
    .selectFrom('apiKey')
    .select(['expiresAt', 'pausedUntil', 'rules', 'rulesVersion'])
    .where('id', '=', keyId)
  const key = await forKeyShare(db, row).executeTakeFirst()
  if (!key) throw keyRefused('invalid')
  requireKnownRules(key)
  const rules = keyRules(key.rules)
  const refusal = refusalOf(key, rules, calledFrom, now)
  if (refusal) throw errorOf(refusal, key, rules)
  requireAccess(rules, rootCall, keyId)
  return { rules }
}

/** The moments in the row of a key that its acceptance depends on. */
interface Life {
  expiresAt: number | null
  pausedUntil: number | null
}

/** Why an existing key is refused; undefined if it is accepted. */
export function refusalOf(
  life: Life,
  rules: KeyRules,
  { address, origin }: CalledFrom,
  now: number,
): Exclude<RefusedKey['outcome'], 'held'> | undefined {
  const dormant = dormancyOf(life, rules, now)
  if (dormant) return dormant
  if (rules.networks && !rules.networks.contains(address)) return 'wrong network'
  if (rules.ownNetworks && !rules.ownNetworks.contains(address)) return 'wrong network'
  if (rules.refusesBrowsers && origin !== undefined) return 'browser'
  if (rules.needsLabel) return 'needs a label'
  return undefined
}

/** Why a key is refused, as far as it depends on the time alone. */
export function dormancyOf({ expiresAt, pausedUntil }: Life, { notBefore }: Pick<KeyRules, 'notBefore'>, now: number) {
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  if (isPaused({ pausedUntil }, now)) return 'paused'
  return notBefore !== undefined && now < notBefore ? 'not yet' : undefined
}

/** At `pausedUntil` itself it is accepted again. */
export const isPaused = ({ pausedUntil }: Pick<Life, 'pausedUntil'>, now: number): boolean =>
  pausedUntil !== null && now < pausedUntil

/** Each error is created once: a refusal is cheap, also when there are many. */
export const keyRefused = (refusal: Refusal): AppError => REFUSALS[refusal]

/** With the moment from which on the key is accepted, if that is known. */
function errorOf(refusal: Refusal, { pausedUntil }: Life, { notBefore }: KeyRules): AppError {
  if (refusal === 'paused' && pausedUntil !== null && pausedUntil < UNTIL_RESUMED)
    return new AppError('API_KEY_PAUSED', {
      message: `This API key is paused: it is accepted again from ${isoTime(pausedUntil)} on, or when an Admin resumes it.`,
    })
  if (refusal === 'not yet' && notBefore !== undefined)
    return new AppError('FORBIDDEN', {
      message: `This API key is not accepted yet: it is accepted from ${isoTime(notBefore)} on.`,
    })
  return keyRefused(refusal)
}

const isoTime = (at: number) => new Date(at).toISOString()
