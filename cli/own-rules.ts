import { type Command, InvalidArgumentError, Option } from 'commander'
import type { OwnRulesInput } from '../server/api-keys/access/own-rules.ts'
import { API_KEY_ACCESSES, type ApiKeyAccess } from '../server/caller/key-rules.ts'
import type { ShownKey } from './key-source/shown-key.ts'
import { parseTime, readableTime } from './time.ts'

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
export const rulesDocumentOf = ({ access, deviceId, allowedNetworks, notBefore, ...apiKey }: ShownKey) => {
  const { requestsPerSecond, requestsPerDay, paused, pausedUntil, pausedAt, pausedBy } = apiKey
  return {
    ...{ access, deviceId, allowedNetworks, notBefore, requestsPerSecond, requestsPerDay },
    ...{ paused, pausedUntil, pausedAt, pausedBy },
  }
}

/** The rules for the details of a key; only what restricts it, but its access always. */
export function rulesDetailsOf(apiKey: ShownKey): Record<string, string> {
  const { access, deviceId, allowedNetworks, notBefore, requestsPerSecond, requestsPerDay } = apiKey
  return {
    access,
    ...(deviceId !== null && { 'bound to device': deviceId }),
    ...(allowedNetworks.length > 0 && { 'accepted only from': allowedNetworks.join(', ') }),
    ...(notBefore !== null && { 'not before': readableTime(notBefore) }),
    ...(requestsPerSecond !== null && { 'requests a second': String(requestsPerSecond) }),
    ...(requestsPerDay !== null && { 'requests a day': String(requestsPerDay) }),
    ...(apiKey.paused && {
      paused: `since ${readableTime(apiKey.pausedAt)} by ${apiKey.pausedBy?.name}, ${pauseEnd(apiKey)}`,
    }),
  }
}

export const pauseEnd = ({ pausedUntil }: Pick<ShownKey, 'pausedUntil'>) =>
  pausedUntil === null ? 'until it is resumed' : `until ${readableTime(pausedUntil)}`

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
