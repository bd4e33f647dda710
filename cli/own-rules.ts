import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OwnRulesInput } from '../server/api-keys/access/own-rules.ts'
import type { ApiKey } from '../server/api-keys/api-key.ts'
import { API_KEY_ACCESSES, type ApiKeyAccess, keyRules } from '../server/caller/key-rules.ts'
import { isPaused, UNTIL_RESUMED } from '../server/caller/verify-key.ts'
import { isoTime, parseTime, readableTime } from './time.ts'

/** The options for the restrictions of one key, the same for a new key and for a change. */
export interface OwnRulesOptions {
  access?: ApiKeyAccess
  device?: string | false
  network?: string[]
  notBefore?: number
  perSecond?: number
  perDay?: number
}

export const addOwnRulesOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--access <access>', 'how much the key may do')
        .choices(API_KEY_ACCESSES)
        .argParser((text) => parseAccess(text)),
    )
    .option('--device <id>', 'with CHECK_IN: the only device that it checks in and reads')
    .option('--network <network>', 'an address or network that it is accepted from; may be repeated', collect)
    .option('--not-before <date>', 'when it is accepted for the first time', parseTime)
    .option('--per-second <requests>', 'its own limit of requests in a second', parseCount)
    .option('--per-day <requests>', 'its own limit of requests in a day of UTC', parseCount)

/** What is not given stays away from the input, so that a change leaves it. */
export const ownRulesFrom = (options: OwnRulesOptions): OwnRulesInput => ({
  ...(options.access !== undefined && { access: options.access }),
  ...(options.device !== undefined && { deviceId: options.device || null }),
  ...(options.network !== undefined && { allowedNetworks: options.network }),
  ...(options.notBefore !== undefined && { notBefore: options.notBefore }),
  ...(options.perSecond !== undefined && { requestsPerSecond: options.perSecond }),
  ...(options.perDay !== undefined && { requestsPerDay: options.perDay }),
})

/** Access, restrictions and pause of a key as JSON. */
export function rulesDocumentOf(apiKey: ApiKey, now: number) {
  const rules = keyRules(apiKey.rules)
  const paused = isPaused(apiKey, now)
  return {
    access: rules.access,
    deviceId: rules.deviceId ?? null,
    allowedNetworks: rules.ownNetworks?.list ?? [],
    notBefore: isoTime(rules.notBefore ?? null),
    requestsPerSecond: rules.requestsPerSecond ?? null,
    requestsPerDay: rules.requestsPerDay ?? null,
    paused,
    pausedUntil: paused && apiKey.pausedUntil !== UNTIL_RESUMED ? isoTime(apiKey.pausedUntil) : null,
    pausedAt: paused ? isoTime(apiKey.pausedAt) : null,
    pausedBy: paused ? { kind: apiKey.pausedByKind, id: apiKey.pausedById, name: apiKey.pausedByName } : null,
  }
}

/** The rules for the details of a key; only what restricts it, but its access always. */
export function rulesDetailsOf(apiKey: ApiKey, now: number): Record<string, string> {
  const rules = keyRules(apiKey.rules)
  return {
    access: rules.access,
    ...(rules.deviceId !== undefined && { 'bound to device': rules.deviceId }),
    ...(rules.ownNetworks && { 'accepted only from': rules.ownNetworks.list.join(', ') }),
    ...(rules.notBefore !== undefined && { 'not before': readableTime(rules.notBefore) }),
    ...(rules.requestsPerSecond !== undefined && { 'requests a second': String(rules.requestsPerSecond) }),
    ...(rules.requestsPerDay !== undefined && { 'requests a day': String(rules.requestsPerDay) }),
    ...(isPaused(apiKey, now) && {
      paused: `since ${readableTime(apiKey.pausedAt)} by ${apiKey.pausedByName}, ${pauseEnd(apiKey)}`,
    }),
  }
}

export const pauseEnd = ({ pausedUntil }: Pick<ApiKey, 'pausedUntil'>) =>
  pausedUntil === UNTIL_RESUMED ? 'until it is resumed' : `until ${readableTime(pausedUntil)}`

function parseAccess(text: string): ApiKeyAccess {
  const access = API_KEY_ACCESSES.find((each) => each === text.toUpperCase().replace('-', '_'))
  if (access) return access
  throw new InvalidArgumentError(`Give one of ${API_KEY_ACCESSES.join(', ')}.`)
}

const collect = (network: string, before: string[] = []): string[] => [...before, network]

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number, 1 or more.')
  return Number(text)
}
