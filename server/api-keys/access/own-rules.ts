import type { TransactionCtx } from '../../caller/ctx.ts'
import { type ApiKeyAccess, type OwnRules, ownRulesIn } from '../../caller/key-rules.ts'
import { LIMITS } from '../../config/limits.ts'
import { AppError } from '../../lib/app-error.ts'
import { badInput, checkAll } from '../../lib/check.ts'
import { checkNetworks } from '../../lib/network.ts'

/** What may be chosen for one key. Absent: it stays, or for a new key there is none; null: none. */
export interface OwnRulesInput {
  access?: ApiKeyAccess | null | undefined
  deviceId?: string | null | undefined
  allowedNetworks?: readonly string[] | null | undefined
  notBefore?: number | null | undefined
  requestsPerSecond?: number | null | undefined
  requestsPerDay?: number | null | undefined
}

/** The rules of a key after this input, in the form in which they are stored. */
export function ownRulesAfter(before: OwnRules, input: OwnRulesInput): OwnRules {
  const access = chosen(input.access, before.access ?? 'ADMIN') ?? 'ADMIN'
  const allowedNetworks = chosen(input.allowedNetworks, before.ownNetworks)
  const checked = checkAll({
    ownNetworks: () => allowedNetworks && checkNetworks('allowedNetworks', allowedNetworks),
    requestsPerSecond: () => checkLimit('requestsPerSecond', chosen(input.requestsPerSecond, before.requestsPerSecond)),
    requestsPerDay: () => checkLimit('requestsPerDay', chosen(input.requestsPerDay, before.requestsPerDay)),
  })
  return ownRulesIn({
    ...checked,
    access: access === 'ADMIN' ? undefined : access,
    deviceId: deviceFor(access, before, input),
    notBefore: chosen(input.notBefore, before.notBefore),
  })
}

const chosen = <Value>(given: Value | null | undefined, before: Value | undefined): Value | undefined =>
  given === undefined ? before : (given ?? undefined)

/** A key that gets another access is no longer bound. */
const deviceFor = (access: ApiKeyAccess, before: OwnRules, { deviceId }: OwnRulesInput): string | undefined =>
  access === 'CHECK_IN' ? chosen(deviceId, before.deviceId) : undefined

const MOST = { requestsPerSecond: LIMITS.requests_of_key, requestsPerDay: LIMITS.requests_of_key_a_day }

function checkLimit(field: keyof typeof MOST, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= MOST[field])) return value
  throw badInput(field, `${field}: a whole number from 1 to ${MOST[field].toLocaleString('en')}.`)
}

/** A key that is never accepted is a mistake. */
export function checkNotBefore(rules: OwnRules, expiresAt: number | null): void {
  if (isEverAccepted(rules, expiresAt)) return
  throw badInput('notBefore', 'notBefore: choose a date before the expiration of the key.')
}

export function checkExpiryAfter(rules: OwnRules, expiresAt: number | null): void {
  if (isEverAccepted(rules, expiresAt)) return
  throw badInput('expiresAt', 'expiresAt: choose a date after notBefore of the key, or it would never be accepted.')
}

const isEverAccepted = ({ notBefore }: OwnRules, expiresAt: number | null) =>
  notBefore === undefined || expiresAt === null || notBefore < expiresAt

/** Whoever binds a key to a device names one of the organization. One that is deleted later leaves the key as it is. */
export async function checkDevice(
  { db, caller }: TransactionCtx,
  { deviceId }: OwnRulesInput,
  { access }: OwnRules,
): Promise<void> {
  if (deviceId == null) return
  const device = await db
    .selectFrom('device')
    .select('id')
    .where('id', '=', deviceId)
    .where('organizationId', '=', caller.organizationId)
    .executeTakeFirst()
  if (!device)
    throw new AppError('NOT_FOUND', { field: 'deviceId', message: 'deviceId: the organization has no such device.' })
  if (access !== 'CHECK_IN')
    throw badInput('deviceId', 'deviceId: only a key with the access CHECK_IN is bound to a device.')
}

/** As the API shows them, for the changes in the audit log. */
export const shownRules = ({ access, deviceId, ownNetworks, notBefore, ...limits }: OwnRules) => ({
  access: access ?? 'ADMIN',
  deviceId,
  allowedNetworks: ownNetworks,
  notBefore: notBefore === undefined ? undefined : new Date(notBefore).toISOString(),
  ...limits,
})

/** For the audit log and the command line; empty when there are none. */
export function ownRulesInWords(rules: OwnRules): string {
  return Object.entries({
    access: rules.access,
    device: rules.deviceId,
    'only from': rules.ownNetworks?.join(' '),
    'not before': rules.notBefore === undefined ? undefined : new Date(rules.notBefore).toISOString(),
    'requests a second': rules.requestsPerSecond,
    'requests a day': rules.requestsPerDay,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
