import { onTestFinished, vi } from 'vitest'

/** Lets time pass for limits, which go by the time of the process, not by the clock of a world. Then it stands still. */
export function passLimitTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}
