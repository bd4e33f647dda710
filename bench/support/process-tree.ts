import { readdirSync, readFileSync } from 'node:fs'

const NANOS_OF_A_MICRO = 1000
const BYTES_OF_A_KB = 1024

/** The CPU time of a process and of all that it has started, by what Linux counts for each of their threads. */
export const cpuMicrosOf = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => sum + nanosOf(each), 0) / NANOS_OF_A_MICRO

/** Its proportional share of memory: pages that several processes share count in part for each. */
export function shareOfMemory(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
  return Number(kilobytes) * BYTES_OF_A_KB
}

export function treeOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(treeOf)]
}

const nanosOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, nanos) => sum + nanos, 0)
