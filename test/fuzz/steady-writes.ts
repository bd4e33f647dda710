import type { GraphqlCall } from './call.ts'
import { type Caller, callerNamed } from './callers.ts'
import { idOf } from './organization-rows.ts'
import type { Sending } from './worst.ts'

const ITEMS = 500
const STEADY_MS = 3000
/** Changes of the first go to 20 webhooks. */
const WRITERS = ['key of g', 'key of a', 'key of c', 'key of h'] as const

const ids = Array.from({ length: ITEMS }, (_, i) => idOf('g', 'device', i))

/** The longest transactions that there are, of which nothing stays. */
const dryRun = (field: string, type: string, inputs: object[]): GraphqlCall => ({
  query: `mutation ($inputs: [${type}!]!) { ${field}(inputs: $inputs) { results { error { code } } } }`,
  variables: { inputs },
  extensions: { dryRun: true },
})

const UPDATE = dryRun(
  'updateDevices',
  'UpdateDevicesInput',
  ids.map((id) => ({ id, description: 'dry' })),
)
const CREATE = dryRun(
  'createDevices',
  'CreateDeviceInput',
  ids.map((_, i) => ({ name: `dry ${i}` })),
)

/**
 * Some organizations write all the time, each of them much longer at a time than the bystander: who takes turns with them by
 * time waits for one of their transactions, by number for one of each.
 */
export function steadyWrites(callers: readonly Caller[]): Sending {
  const [first, ...others] = WRITERS.map((name) => callerNamed(name, callers))
  if (!first) throw new Error('Nobody writes.')
  return {
    caller: first,
    worst: {
      shape: 'steady writes',
      sizes: [1],
      steadyMs: STEADY_MS,
      callsOf: () => [UPDATE],
      beside: others.map((caller) => ({ caller, call: CREATE })),
    },
  }
}
