import { DEVICES, PAGE_SIZE, rawCall } from './call.ts'
import { expectDevices } from './expected.ts'
import type { Stage } from './rounds.ts'
import type { Fleet } from './seed.ts'
import { type System, startPortal } from './system.ts'

/** A portal of its own that is asked for a page of devices by one key, or by several in turn. */
export async function startStage(name: string, fleet: Fleet, secrets = [fleet.secret]): Promise<Stage> {
  const system = await startPortal(name, fleet)
  const requests = secrets.map((secret) => rawCall(system.port, secret))
  return { name, system, requests, expected: await expectDevices(system, fleet) }
}

/** A server that is there, asked for another page of devices. */
export async function stageOf(
  name: string,
  system: System,
  fleet: Fleet,
  { query = DEVICES, size = PAGE_SIZE, connections }: { query?: string; size?: number; connections?: number } = {},
): Promise<Stage> {
  const expected = await expectDevices(system, fleet, { query, size })
  const requests = [rawCall(system.port, fleet.secret, query)]
  return { name, system, requests, expected, ...(connections ? { connections } : {}) }
}
