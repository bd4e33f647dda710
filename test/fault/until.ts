import { setTimeout as pause } from 'node:timers/promises'

const POLL_EVERY_MS = 20

/** Waits until it is so, and not for ever; gives how long it took. */
export async function until(isSo: () => boolean, withinMs: number): Promise<number> {
  const start = performance.now()
  while (!isSo() && performance.now() - start < withinMs) await pause(POLL_EVERY_MS)
  return performance.now() - start
}
