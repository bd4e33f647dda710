import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../faults.ts'
import { between, oneOf, type Random } from '../random.ts'
import { until } from '../until.ts'
import { sendSignal, type WorkersPortal } from './portal.ts'

const MOMENT_MS: [number, number] = [100, 2000]
const REPLACED_WITHIN_MS = 180_000

/** What happens to the workers of a portal: each is over when as many serve as before. */
export function workerFaults(portal: WorkersPortal) {
  const { crew } = portal
  const stopped = new Set<number>()

  /** Picks some of the running workers; fewer where there are not so many. */
  function pick(random: Random, count: number): { worker: number; pid: number }[] {
    let left = [...crew.serving].map(([worker, pid]) => ({ worker, pid })).filter(({ worker }) => !stopped.has(worker))
    const picked: typeof left = []
    while (picked.length < count && left.length > 0) {
      const one = oneOf(random, left)
      picked.push(one)
      left = left.filter((other) => other !== one)
    }
    return picked
  }

  async function requireReplaced(workers: number[], words: string): Promise<void> {
    if (!(await portal.allServe(workers)))
      crew.wrong.push(`${words}: worker ${workers.join(', ')} is not replaced, ${crew.serving.size} serve`)
  }

  function send(worker: number, pid: number, signal: NodeJS.Signals): void {
    crew.disturb(worker)
    sendSignal(pid, signal)
  }

  async function kill(random: Random, count: number): Promise<void> {
    const victims = pick(random, count)
    for (const { worker, pid } of victims) send(worker, pid, 'SIGKILL')
    await requireReplaced(
      victims.map(({ worker }) => worker),
      'kill -9',
    )
  }

  async function stop(random: Random, during: (worker: number) => Promise<unknown>): Promise<void> {
    const [victim] = pick(random, 1)
    if (!victim) return
    const { worker, pid } = victim
    stopped.add(worker)
    send(worker, pid, 'SIGSTOP')
    await during(worker)
    if (crew.serving.has(worker)) {
      send(worker, pid, 'SIGCONT')
      crew.settle(worker)
    }
    stopped.delete(worker)
  }

  const faults: Record<string, (random: Random) => Promise<void>> = {
    'kill -9 of a worker': (random) => kill(random, 1),
    'kill -9 of several workers': (random) => kill(random, between(random, 2, portal.workers)),
    'worker that hangs': (random) => stop(random, (worker) => requireReplaced([worker], 'SIGSTOP')),
    'SIGSTOP of a worker for a moment': (random) => stop(random, () => pause(between(random, ...MOMENT_MS))),
    async SIGHUP() {
      const before = crew.replacements()
      portal.signal('SIGHUP')
      await until(() => crew.replacements() > before, REPLACED_WITHIN_MS)
      if (crew.replacements() === before) crew.wrong.push('SIGHUP does not replace the workers')
      await requireReplaced([], 'SIGHUP')
    },
  }
  return Object.entries(faults).map(([name, happen]): Fault => ({ name, weight: 1, happen }))
}
