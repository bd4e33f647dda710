import { buildWeb } from '../../scripts/build-web.js'
import { type PortalProcess, startPortalProcess } from '../fault/processes.ts'
import { PORTAL } from '../fault/replica.ts'
import { computedMs, coreWaitMs, residentMegabytes } from './machine.ts'
import { createSender, type Sender } from './send.ts'

/** The portal under test: a process of its own, killed and started again when it hangs. */
export interface Portal {
  port(): number
  sender(): Sender
  hasExpired(): boolean
  /** What it has logged since this was last asked. */
  logged(): string[]
  memory(): number
  /** For how long it had no core, since it began. */
  coreWaitMs(): number
  /** How long it has computed, since it began. */
  computedMs(): number
  starts(): number
  restart(): Promise<void>
  close(): Promise<void>
}

/** With the limits that it has by default: what they do not allow is no finding. */
export async function startPortal(env: Record<string, string>): Promise<Portal> {
  await buildWeb()
  const start = () => startPortalProcess(PORTAL, { RATE_LIMIT: '100', ...env })
  let current = await start()
  let sender = createSender(current.port)
  let ended = watchEnd(current)
  let told = 0
  let starts = 1
  const end = async () => {
    sender.close()
    current.kill()
    await current.ended
  }
  return {
    port: () => current.port,
    sender: () => sender,
    hasExpired: () => ended.value,
    logged() {
      const lines = current.said().slice(told)
      told += lines.length
      return lines
    },
    memory: () => residentMegabytes(current.pid),
    coreWaitMs: () => coreWaitMs(current.pid),
    computedMs: () => computedMs(current.pid),
    starts: () => starts,
    async restart() {
      await end()
      current = await start()
      sender = createSender(current.port)
      ended = watchEnd(current)
      told = 0
      starts++
    },
    close: end,
  }
}

function watchEnd({ ended }: PortalProcess): { value: boolean } {
  const state = { value: false }
  void ended.then(() => {
    state.value = true
  })
  return state
}
