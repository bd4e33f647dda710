import type { GraphqlCall } from './call.ts'
import { deviceName, idOf } from './organization-rows.ts'
import { atTurn } from './turns.ts'
import type { Worst } from './worst.ts'

const AT_ONCE = 4
const MOST_ITEMS = 500
const WATCH_MS = 500
/** Nothing follows from a dry run, and what the bystander takes meanwhile is told less exactly the longer it is. */
const WATCH_DRY_RUN_MS = 20
/** With all that follows from it; a dry run makes no deliveries. */
const MOST_OF_CALL_MS = 600
const MOST_OF_DRY_RUN_MS = 125
/** What is written to: the organization of this letter has as many webhooks as one may have. */
const LETTER = 'g'

type Input = (i: number, salt: string) => Record<string, unknown>

const id = (i: number) => idOf(LETTER, 'device', i)

/** The mutations for many, with the items that make each of them write. */
const MUTATIONS: readonly (readonly [field: string, type: string, input: Input])[] = [
  ['updateDevices', 'UpdateDevicesInput', (i, salt) => ({ id: id(i), description: `${salt} ${i}` })],
  ['upsertDevices', 'CreateDeviceInput', (i, salt) => ({ name: deviceName(LETTER, i), tags: [salt] })],
  ['checkInDevices', 'CheckInDevicesInput', (i, salt) => ({ id: id(i), firmwareVersion: `${salt}.${i}` })],
  ['createDevices', 'CreateDeviceInput', (i, salt) => ({ name: `new ${salt} ${i}`, description: 'x'.repeat(200) })],
  ['updateDevices', 'UpdateDevicesInput', (i, salt) => ({ id: id(i), tags: [salt, `${i}`] })],
]

/** The most that one request may write, some of them at once, in an organization whose every change goes to 20 webhooks. */
export function largeWrites(turn: number): Worst {
  const [field, type, input] = atTurn(MUTATIONS, turn)
  const isDryRun = turn % 2 === 0
  const call = (items: number, salt: string): GraphqlCall => ({
    query: `mutation ($inputs: [${type}!]!) { ${field}(inputs: $inputs, atomic: ${turn % 3 !== 1}) { results { error { code } } } }`,
    variables: { inputs: Array.from({ length: items }, (_, i) => input(i, salt)) },
    ...(isDryRun && { extensions: { dryRun: true } }),
  })
  return {
    shape: `${isDryRun ? 'dry run of ' : ''}${field}`,
    sizes: [MOST_ITEMS, 200, 50],
    watchMs: isDryRun ? WATCH_DRY_RUN_MS : WATCH_MS,
    mostOfCallMs: isDryRun ? MOST_OF_DRY_RUN_MS : MOST_OF_CALL_MS,
    callsOf: (items, attempt = 0) => Array.from({ length: AT_ONCE }, (_, i) => call(items, `${turn} ${attempt} ${i}`)),
  }
}
