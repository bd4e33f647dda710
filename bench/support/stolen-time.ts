import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** More than this in a round, and it says more about the neighbours than about the systems. */
const MOST_STOLEN = 0.05
/** Before each further attempt, since neighbours are busy for a while. */
const PAUSES_MS = [1000, 5000, 15_000, 30_000]
/** For all pauses of a run together: after that, a disturbed round counts. */
const PATIENCE_MS = 600_000

/** The CPU time of all cores since the machine started. */
export interface CpuTime {
  used: number
  /** What this machine asked for, and the hypervisor gave to others. */
  stolen: number
}

/** The CPU time as Linux reports it; elsewhere nothing is known to be stolen. */
export function cpuTime(): CpuTime {
  return process.platform === 'linux' ? cpuTimeIn(readFileSync('/proc/stat', 'utf8')) : { used: 0, stolen: 0 }
}

/** By the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. */
export function cpuTimeIn(stat: string): CpuTime {
  const line = stat.slice(0, stat.indexOf('\n')).split(/\s+/).slice(1)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line.map(Number)
  return { used: user + nice + system + irq + softirq, stolen }
}

/** The share of the CPU time between two readings that others got, of what was asked for. */
export function stolenShare(from: CpuTime, to: CpuTime): number {
  const stolen = to.stolen - from.stolen
  const asked = to.used - from.used + stolen
  return asked > 0 ? stolen / asked : 0
}

/** Measures again where too much was stolen, or is missing by what was measured, and takes the attempt with the least. */
export function createUndisturbed({ now = cpuTime, wait = (ms: number): Promise<void> => pause(ms) } = {}) {
  let patienceMs = PATIENCE_MS
  return async <Result>(measure: () => Promise<Result>, missing = (_: Result) => 0): Promise<Result> => {
    let best: { result: Result; share: number } | undefined
    for (let attempt = 0; ; attempt++) {
      const before = now()
      const result = await measure()
      const share = Math.max(stolenShare(before, now()), missing(result))
      if (!best || share < best.share) best = { result, share }
      const pauseMs = PAUSES_MS[attempt]
      if (best.share <= MOST_STOLEN || pauseMs === undefined || pauseMs > patienceMs) return best.result
      patienceMs -= pauseMs
      await wait(pauseMs)
    }
  }
}

export const undisturbed = createUndisturbed()
