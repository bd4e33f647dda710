import type { Server } from 'node:net'
import { SECOND } from '../lib/clock.ts'

/** A connection that is accepted so soon after another one is part of a burst. */
const BURST_MS = 1
/** The system makes it about a tenth of a millisecond: long enough for the other workers to wake up. */
const PAUSE_MS = 0.05
/** In a second: whoever opens connections all the time costs a worker no more than this. */
const MOST_PAUSED_MS = 20

interface BurstTuning {
  now?: () => number
  pause?: () => void
}

/**
 * Workers accept from one socket, and the first that wakes up would accept most of the connections that are opened at
 * the same instant: the clients behind them would get one core. So a worker that accepts several in a row pauses after
 * each but the first, as libuv once did for the same reason. It blocks: there is no way to stop accepting for a moment.
 */
export function shareBursts(server: Server, { now = () => performance.now(), pause = block }: BurstTuning = {}): void {
  let acceptedAt = Number.NEGATIVE_INFINITY
  let second = Number.NEGATIVE_INFINITY
  let pausedMs = 0
  server.on('connection', () => {
    const arrivedAt = now()
    if (arrivedAt - second >= SECOND) {
      second = arrivedAt
      pausedMs = 0
    }
    const isBurst = arrivedAt - acceptedAt < BURST_MS
    if (isBurst && pausedMs < MOST_PAUSED_MS) {
      pause()
      pausedMs += now() - arrivedAt
    }
    acceptedAt = now()
  })
}

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
const block = () => void Atomics.wait(never, 0, 0, PAUSE_MS)
