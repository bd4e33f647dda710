import { PORTAL } from '../lib/command-name.ts'
import type { Log } from '../lib/log.ts'

/** Logs when a hold begins or ends, as seen by this process: to be called after each comparison. */
export function createHoldLog(log: Log): (heldSince: number | null) => void {
  let before: number | null = null
  return (heldSince) => {
    const isHeld = heldSince !== null
    if (isHeld && before === null)
      log.warn(
        { heldSince: new Date(heldSince).toISOString() },
        `API keys are held: revocations are missing from the database, and no key is accepted. Start a process whose ledger has them, or decide with ${PORTAL} restore accept`,
      )
    if (!isHeld && before !== null) log.warn('API keys are accepted again: the hold has ended')
    before = heldSince
  }
}
