import { freePort } from './call.ts'
import type { Child } from './children.ts'
import { cpuMicrosOf } from './process-tree.ts'
import type { Fleet } from './seed.ts'
import { ready, type System, startPortalProcess } from './system.ts'

/** How the systemd unit and the image start Node.js. */
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=50']

export interface Alone {
  system: System
  child: Child
  pid: number
}

/**
 * The portal as an operator starts it: without the probe, which takes memory of its own. Its CPU time is read from outside, as
 * Linux counts it, with that of the processes that it starts.
 */
export async function startAlone(name: string, fleet: Fleet, program: string): Promise<Alone> {
  const port = await freePort()
  const child = startPortalProcess(fleet, { port, flags: FLAGS, program, answers: 'never' })
  const system = await ready(name, port, fleet, child)
  const pid = child.process.pid
  if (pid === undefined) throw new Error(`${name}: there is no process.`)
  return { child, pid, system: { ...system, usage: async () => ({ cpuMicros: cpuMicrosOf(pid) }) } }
}
