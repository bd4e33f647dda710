const MAX_DAYS = 36_500

/** How many days records are stored before a background job deletes them; infinite: forever. */
export interface Retention {
  auditDays: number
  emailDays: number
  usageDays: number
  sessionDays: number
  invitationDays: number
}

/** Whole days, or `forever`, which 0 means too: whoever writes 0 must not lose everything. */
export function parseRetentionDays(text: string): number | undefined {
  if (text === 'forever' || text === '0') return Number.POSITIVE_INFINITY
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_DAYS ? Number(text) : undefined
}
