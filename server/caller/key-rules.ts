import { LRUCache } from 'lru-cache'
import { AppError } from '../lib/app-error.ts'
import { createNetworks, type Networks } from '../lib/network.ts'

/** How much a key may do, from the most to the least. */
export const API_KEY_ACCESSES = ['ADMIN', 'READ_ONLY', 'DEVICES', 'CHECK_IN'] as const

export type ApiKeyAccess = (typeof API_KEY_ACCESSES)[number]

export type NarrowedAccess = Exclude<ApiKeyAccess, 'ADMIN'>

export const EVERY_ACCESS: readonly NarrowedAccess[] = ['READ_ONLY', 'DEVICES', 'CHECK_IN']
export const ADMIN_ONLY: readonly NarrowedAccess[] = []

/** Which keys may request a field of the schema, as it is declared where the field is defined. */
export interface FieldAccess {
  /** The name of a root field, or `Type.field`. */
  readonly name: string
  /** The accesses that include it, beside ADMIN, which includes every field. */
  readonly accesses: readonly NarrowedAccess[]
  /** BOUND_DEVICE: of a device, and a key that is bound gives no other. CALLING_KEY: every key gives its own, whatever its access. */
  readonly idOf?: 'BOUND_DEVICE' | 'CALLING_KEY' | undefined
}

/** A field that is in progress, as far as the access of a key depends on it. */
export interface FieldCall {
  field: FieldAccess
  /** Its argument of this name, if it has one. */
  id?: unknown
}

export interface KeyAccess {
  access: ApiKeyAccess
  /** The only device of a key with CHECK_IN. */
  deviceId: string | undefined
}

export const includes = (access: ApiKeyAccess, { accesses }: Pick<FieldAccess, 'accesses'>): boolean =>
  access === 'ADMIN' || accesses.includes(access)

/** The names of those fields that the access includes: a key has not used the others. */
export const fieldsWithin = (access: ApiKeyAccess, fields: readonly FieldAccess[]): string[] =>
  fields.filter((field) => field.idOf === 'CALLING_KEY' || includes(access, field)).map(({ name }) => name)

/** The accesses that include nothing which this one does not include, from the least to the most. */
export const NARROWER: Readonly<Record<ApiKeyAccess, readonly NarrowedAccess[]>> = {
  ADMIN: ['CHECK_IN', 'READ_ONLY', 'DEVICES'],
  READ_ONLY: [],
  DEVICES: ['CHECK_IN'],
  CHECK_IN: [],
}

/** Throws if this access does not include the field, unless the key calls it for itself. Without a field, only ADMIN will do. */
export function requireAccess(rules: KeyAccess, call: FieldCall | undefined, keyId: string): void {
  const { access } = rules
  if (access === 'ADMIN') return
  if (call?.field.idOf === 'CALLING_KEY' && call.id === keyId) return
  if (!call || !includes(access, call.field)) throw notIncluded(access, call?.field)
  if (call.field.idOf === 'BOUND_DEVICE' && call.id != null) requireBoundDevice(rules, call.id) // without an id it is the device of the key
}

/** Throws if the key is bound to another device. */
export function requireBoundDevice({ deviceId }: KeyAccess, id: unknown): void {
  if (deviceId === undefined || id === deviceId) return
  throw new AppError('FORBIDDEN', {
    message:
      'This API key is bound to one device, and this is another one. Ask an Admin for a key of this device, or for one that is bound to none.',
  })
}

function notIncluded(access: ApiKeyAccess, field: FieldAccess | undefined): AppError {
  const name = field?.name ?? 'this'
  const included = field?.idOf === 'CALLING_KEY' ? `${name} for another key than itself` : name
  const enough = [...(field?.accesses ?? ADMIN_ONLY).toReversed(), 'ADMIN']
  return new AppError('FORBIDDEN', {
    message: `The access of this API key is ${access}, which does not include ${included}. Ask an Admin for a key with the access ${enough.join(' or ')}.`,
  })
}

const MAX_KNOWN = 1_000

/**
 * The newest version of the rules below. The row of a key names the one that its rules need: a process that does not know
 * it refuses the key rather than ignores a rule. A new kind of rule gets the next number.
 */
export const RULES_VERSION = 2
/** The version of the rules that a policy sets. */
const POLICY_RULES_VERSION = 1

const UNKNOWN_RULES = new AppError('UNAVAILABLE', {
  message:
    'This API key has restrictions that this process of the portal does not know: the portal is being upgraded. Try again in a moment.',
  retryAfterSeconds: 1,
})

/** The rules as stored in the row of a key; an absent one does not apply. The first ones are copied from the policy. */
export interface StoredRules extends OwnRules {
  networks?: readonly string[] | undefined
  noBrowser?: boolean | undefined
  noKeys?: boolean | undefined
  /** The key is refused until it has a label. */
  unlabelled?: boolean | undefined
  /** The first key of a rotation chain: its limits are counted under this id, or each rotation would start them again. */
  countedAs?: string | undefined
}

/** What somebody chose for this key alone. A change of the policy leaves it as it is. */
export interface OwnRules {
  /** Absent: ADMIN. */
  access?: Exclude<ApiKeyAccess, 'ADMIN'> | undefined
  /** The only device of a key with CHECK_IN. It may no longer exist. */
  deviceId?: string | undefined
  /** Both these and those of the policy must hold the address of a call. */
  ownNetworks?: readonly string[] | undefined
  notBefore?: number | undefined
  requestsPerSecond?: number | undefined
  requestsPerDay?: number | undefined
}

/** The restrictions of a key, checked on every call and inside every transaction in which it writes. */
export interface KeyRules extends KeyAccess {
  networks: Networks | undefined
  refusesBrowsers: boolean
  managesKeys: boolean
  needsLabel: boolean
  ownNetworks: Networks | undefined
  notBefore: number | undefined
  requestsPerSecond: number | undefined
  requestsPerDay: number | undefined
  countedAs: string | undefined
}

const NONE: KeyRules = rulesFrom({})

/** Parsed rules by their text. It does not say whether a key exists: the row is read again for every request. */
const known = new LRUCache<string, KeyRules>({ max: MAX_KNOWN, memoMethod: (text) => rulesFrom(readRules(text)) })

/** Before rules are read, or written again without those that this process does not know. */
export function requireKnownRules({ rulesVersion }: { rulesVersion: number }): void {
  if (rulesVersion > RULES_VERSION) throw UNKNOWN_RULES
}

export function keyRules(text: string | null): KeyRules {
  return text === null ? NONE : known.memo(text)
}

export function readRules(text: string | null): StoredRules {
  return text === null ? {} : (JSON.parse(text) as StoredRules) // only writeRules writes it
}

/** Equal rules give equal text. */
export function writeRules(rules: StoredRules): string | null {
  const { networks = [], noBrowser, noKeys, unlabelled, countedAs, ...own } = rules
  const isCounted = own.requestsPerSecond !== undefined || own.requestsPerDay !== undefined
  const stored: StoredRules = {
    ...(networks.length > 0 && { networks }),
    ...(noBrowser && { noBrowser }),
    ...(noKeys && { noKeys }),
    ...(unlabelled && { unlabelled }),
    ...ownRulesIn(own),
    ...(isCounted && countedAs !== undefined && { countedAs }),
  }
  return Object.keys(stored).length === 0 ? null : JSON.stringify(stored)
}

/** To be put over rules, before others that are chosen. */
export const NO_OWN_RULES = {
  access: undefined,
  deviceId: undefined,
  ownNetworks: undefined,
  notBefore: undefined,
  requestsPerSecond: undefined,
  requestsPerDay: undefined,
} as const satisfies Record<keyof OwnRules, undefined>

/** The rules that apply, in the order in which they are stored. */
export function ownRulesIn(rules: OwnRules): OwnRules {
  const { access, deviceId, ownNetworks = [], notBefore, requestsPerSecond, requestsPerDay } = rules
  return {
    ...(access && { access }),
    ...(deviceId !== undefined && { deviceId }),
    ...(ownNetworks.length > 0 && { ownNetworks }),
    ...(notBefore !== undefined && { notBefore }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(requestsPerDay !== undefined && { requestsPerDay }),
  }
}

/** What a process must know to accept a key with these rules, or to refuse it because it is paused. */
export function versionFor({ rules, pausedUntil }: { rules: string | null; pausedUntil: number | null }): number {
  const hasOwn = Object.keys(ownRulesIn(readRules(rules))).length > 0
  return hasOwn || pausedUntil !== null ? RULES_VERSION : POLICY_RULES_VERSION
}

/** Whether networks or limits were chosen for this key, beside those of the policy. */
export const hasOwnLimits = ({ ownNetworks, requestsPerSecond, requestsPerDay }: KeyRules): boolean =>
  ownNetworks !== undefined || requestsPerSecond !== undefined || requestsPerDay !== undefined

/** An Admin may generate any key: so not one that may not manage keys, or that gives no key more than it has itself. */
export const mayMakeAdmins = (rules: KeyRules): boolean => rules.managesKeys && !hasOwnLimits(rules)

export const rulesOnceLabelled = (text: string | null) => writeRules({ ...readRules(text), unlabelled: false })

function rulesFrom(stored: StoredRules): KeyRules {
  const { networks, noBrowser, noKeys, unlabelled, access, deviceId, ownNetworks } = stored
  return {
    networks: networks && createNetworks(networks),
    refusesBrowsers: noBrowser === true,
    managesKeys: noKeys !== true,
    needsLabel: unlabelled === true,
    access: access ?? 'ADMIN',
    deviceId,
    ownNetworks: ownNetworks && createNetworks(ownNetworks),
    notBefore: stored.notBefore,
    requestsPerSecond: stored.requestsPerSecond,
    requestsPerDay: stored.requestsPerDay,
    countedAs: stored.countedAs,
  }
}
