import { readFileSync } from 'node:fs'

/** Linux counts computing in hundredths of a second. */
const TICK_MS = 10

/**
 * For how long a process was ready to run and had no core, since it began, in milliseconds: what a busy machine takes, and no
 * fault of the process. 0 where the system does not tell.
 */
export function coreWaitMs(pid: number | undefined): number {
  try {
    const [, waitedNs = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return Number(waitedNs) / 1e6
  } catch {
    return 0
  }
}

/** How long a process has computed since it began, in all of its threads, in milliseconds; 0 where the system does not tell. */
export function computedMs(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return 0
  }
}

/** The memory that a process occupies, in MB; 0 where the system does not tell. */
export function residentMegabytes(pid: number | undefined): number {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) / 1000
  } catch {
    return 0
  }
}
