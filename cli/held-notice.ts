import { PORTAL } from '../server/lib/command-name.ts'
import { isoTime, readableTime } from './time.ts'

/** What to know about every key while none is accepted, and an empty line; nothing while keys are accepted. */
export const heldLines = (heldSince: number | null) =>
  heldSince === null
    ? []
    : [
        `No key is accepted since ${readableTime(heldSince)}: the database was restored, and revocations may be missing. ${PORTAL} restore accept decides which keys are accepted again; revoking works.`,
        '',
      ]

/** Since when keys are held, as a field of JSON. */
export const heldField = (heldSince: number | null) => ({ heldSince: isoTime(heldSince) })
