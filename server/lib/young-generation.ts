import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Of both halves together, of which one is in use. */
const MOST_BYTES = 32 * 1024 * 1024

/**
 * Limits the part of the heap that new objects are in. V8 doubles it while many of them survive a collection, to 128 MB on a machine
 * with enough memory, and returns little of it under load. The option of Node.js for that, `--max-semi-space-size`, has to be
 * there before the process starts; but V8 reads the factor by which it grows each time.
 */
export function limitYoungGeneration(mostBytes = MOST_BYTES): void {
  let mayGrow = true
  new PerformanceObserver(() => {
    const isBelow = youngBytes() < mostBytes // it shrinks while the portal is idle
    if (isBelow === mayGrow) return
    mayGrow = isBelow
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
  }).observe({ entryTypes: ['gc'] })
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
}
