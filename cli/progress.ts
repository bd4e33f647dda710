import type { OnProgress } from '../server/backup/write-backup.ts'
import { SECOND } from '../server/lib/clock.ts'
import { lengthInWords, numberInWords } from './numbers.ts'
import { print, type Terminal } from './terminal.ts'

const FIRST_AFTER_MS = SECOND
const EVERY_MS = 3 * SECOND

/** Says on stderr how far it is, how fast, and how long it still takes: from the second second on. */
export function showProgress({ stderr }: Terminal, { json = false }: { json?: boolean }): OnProgress | undefined {
  if (json) return undefined // stderr is for the error only
  let next = performance.now() + FIRST_AFTER_MS
  let began: number | undefined // with the first rows: what comes before them says nothing about the rest
  return ({ rows, of }) => {
    const now = performance.now()
    began ??= now
    if (now < next || now === began) return
    next = now + EVERY_MS
    print(stderr, `${progressLine({ rows, of, afterMs: now - began })}\n`)
  }
}

export function progressLine({ rows, of, afterMs }: { rows: number; of: number; afterMs: number }): string {
  const perMs = rows / afterMs
  const left = perMs > 0 ? `, about ${lengthInWords((of - rows) / perMs)} left` : ''
  const percent = Math.floor((100 * rows) / Math.max(1, of))
  const rate = numberInWords(Math.round(perMs * SECOND))
  return `${numberInWords(rows)} of ${numberInWords(of)} rows (${percent} %), ${rate} a second${left}`
}
