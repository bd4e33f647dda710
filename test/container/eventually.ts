import { setTimeout as pause } from 'node:timers/promises'

const POLL_EVERY_MS = 100

/** Whether it becomes so in this time. */
export async function eventually(withinMs: number, isSo: () => Promise<boolean>): Promise<boolean> {
  const start = performance.now()
  while (performance.now() - start < withinMs) {
    if (await isSo()) return true
    await pause(POLL_EVERY_MS)
  }
  return false
}
