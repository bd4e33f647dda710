import type { KeyOfPage } from '../api/api-key.ts'
import type { KeyAccess } from '../api/key-access.ts'
import { ACCESSES } from './key-access.ts'

const SHOWN = 8
const MONTH_DAYS = 30
const DAY_MS = 86_400_000

/** "Used in 30 days: devices, checkInDevice" */
export function usedInWords({ usedFields }: KeyOfPage): string {
  if (usedFields.length === 0) return `Not used in ${MONTH_DAYS} days.`
  const names = usedFields.slice(0, SHOWN).map(({ field }) => field)
  const more = usedFields.length - names.length
  return `Used in ${MONTH_DAYS} days: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export function suggestionInWords({ access, usedFields, suggestedAccess }: KeyOfPage): string {
  const { access: suggested, since } = suggestedAccess
  if (suggested === null && usedFields.length === 0) return 'Not enough usage yet to say which access it needs.'
  if (suggested === null) {
    const days = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / DAY_MS))
    const known = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`
    return `Not enough usage yet to say which access it needs: its calls have been counted for ${known}, and it takes 7 days.`
  }
  if (suggested === access) return 'No narrower access would have allowed all of it.'
  return `${ACCESSES[suggested].name} would have been enough for all of it.`
}

type Refused = KeyOfPage['suggestedAccess']['narrower'][number]['refused']

/** "devices (12 calls), users (1 call)" */
export function refusedInWords(refused: Refused): string {
  if (refused.length === 0) return 'Nothing.'
  return refused
    .map(({ field, calls }) => `${field} (${calls === 1 ? '1 call' : `${calls.toLocaleString()} calls`})`)
    .join(', ')
}

/** What a key can no longer do with this access. */
export const LOST: Record<Exclude<KeyAccess, 'ADMIN'>, string> = {
  READ_ONLY: 'It can no longer change anything: no devices, users, settings or keys.',
  DEVICES: 'It can no longer read or change users, settings, the audit log or other keys.',
  CHECK_IN:
    'It can no longer list, add, change or delete devices, and no longer read or change users, settings, the audit log or other keys.',
}
