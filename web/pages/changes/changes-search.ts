/** From when on changes are shown, in the reader's time zone, as a field for date and time has it. */
export interface ChangesSearch {
  since?: string | undefined
}

/** Takes from the address what can be a moment. What cannot is named too, or the router would keep it. */
export const changesSearch = ({ since }: Record<string, unknown>): ChangesSearch => ({
  since: isMoment(since) ? since : undefined,
})

/** The moment that is searched from, for the server, which has one time zone. */
export const momentOf = ({ since }: ChangesSearch): string | undefined => since && new Date(since).toISOString()

const isMoment = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
