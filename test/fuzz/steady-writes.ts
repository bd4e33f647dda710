import type { GraphqlCall } from './call.ts'
import { type Caller, callerNamed } from './callers.ts'
import { DEVICES_WITH_MOST_TAGS as ITEMS, idOf, type Letter } from './organization-rows.ts'
import type { Sending } from './worst.ts'

const STEADY_MS = 3000
/** Nothing else that is sent takes their devices away. */
const WRITERS: readonly Letter[] = ['a', 'b', 'g', 'h']

/** The longest of transactions for the points that it takes, of which nothing stays: each of the devices has as many tags as there may be. */
const deletionOf = (letter: Letter): GraphqlCall => ({
  query: 'mutation ($inputs: [DeleteDevicesInput!]!) { deleteDevices(inputs: $inputs) { results { error { code } } } }',
  variables: { inputs: Array.from({ length: ITEMS }, (_, i) => ({ id: idOf(letter, 'device', i) })) },
  extensions: { dryRun: true },
})

/**
 * Some organizations write all the time, each of them much longer at a time than the bystander: who takes turns with them by
 * time waits for one of their transactions, by number for one of each.
 */
export function steadyWrites(callers: readonly Caller[]): Sending {
  const [first, ...others] = WRITERS.map((letter) => ({
    caller: callerNamed(`key of ${letter}`, callers),
    call: deletionOf(letter),
  }))
  if (!first) throw new Error('Nobody writes.')
  const { caller, call } = first
  return {
    caller,
    worst: { shape: 'steady writes', sizes: [1], steadyMs: STEADY_MS, callsOf: () => [call], beside: others },
  }
}
