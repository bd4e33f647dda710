import { readFileSync } from 'node:fs'

/** More than this in a round, and it says more about the neighbours than about the systems. */
const MOST_STOLEN = 0.1
const MOST_ATTEMPTS = 3

/** The CPU time of all cores since the machine started. */
export interface CpuTime {
  used: number
  /** What this machine asked for, and the hypervisor gave to others. */
  stolen: number
}

/** Of Linux; elsewhere nothing is known to be stolen. */
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

/** Measures again where too much was stolen, and takes the attempt with the least. */
export async function undisturbed<Result>(measure: () => Promise<Result>, now = cpuTime): Promise<Result> {
  let best: { result: Result; share: number } | undefined
  for (let attempt = 1; ; attempt++) {
    const before = now()
    const result = await measure()
    const share = stolenShare(before, now())
    if (!best || share < best.share) best = { result, share }
    if (best.share <= MOST_STOLEN || attempt === MOST_ATTEMPTS) return best.result
  }
}
