import { DEVICES, PAGE_SIZE, rawCall } from './call.ts'
import { expectDevices } from './expected.ts'
import type { Stage } from './rounds.ts'
import type { Fleet } from './seed.ts'
import { type System, startPortal } from './system.ts'

/** Starts a portal that serves a page of devices to one key, or to several in turn. */
export async function startStage(
  name: string,
  fleet: Fleet,
  secrets = [fleet.secret],
  program?: string,
): Promise<Stage> {
  const system = await startPortal(name, fleet, [], program)
  const requests = secrets.map((secret) => rawCall(system.port, secret))
  return { name, system, requests, expected: await expectDevices(system, fleet) }
}

/** Another page of devices from a running server. */
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
