import { DEVICES, PAGE_SIZE, rawCall } from './call.ts'
import { expectDevices } from './expected.ts'
import type { Expected } from './message.ts'
import { CONNECTIONS, type Stage } from './rounds.ts'
import type { Fleet } from './seed.ts'
import { type System, startPortal } from './system.ts'

/**
 * A page of devices for all keys of the fleet in turn. There are more keys than connections, so calls that arrive
 * together have different keys and share nothing: each costs what a call by itself costs.
 */
export function byKeysInTurn(system: System, { secrets }: Fleet, expected: Expected): Stage {
  if (secrets.length <= CONNECTIONS) throw new Error(`${secrets.length} keys in turn would meet each other.`)
  return stageWith(system.name, system, secrets, expected)
}

/** A page of devices for one key alone. */
export const byOneKey = (system: System, { secret }: Fleet, expected: Expected): Stage =>
  stageWith(`${system.name}, one key`, system, [secret], expected)

const stageWith = (name: string, system: System, secrets: string[], expected: Expected, query = DEVICES): Stage => ({
  name,
  system,
  requests: secrets.map((secret) => rawCall(system.port, secret, query)),
  expected,
})

/** Starts a portal that serves a page of devices, to all keys of the fleet in turn or to these. */
export async function startStage(
  name: string,
  fleet: Fleet,
  secrets = fleet.secrets,
  program?: string,
): Promise<Stage> {
  const system = await startPortal(name, fleet, [], program)
  return stageWith(name, system, secrets, await expectDevices(system, fleet))
}

/** Another page of devices from a running server, for all keys of the fleet in turn. */
export async function stageOf(
  name: string,
  system: System,
  fleet: Fleet,
  { query = DEVICES, size = PAGE_SIZE, connections }: { query?: string; size?: number; connections?: number } = {},
): Promise<Stage> {
  const expected = await expectDevices(system, fleet, { query, size })
  return { ...stageWith(name, system, fleet.secrets, expected, query), ...(connections ? { connections } : {}) }
}
