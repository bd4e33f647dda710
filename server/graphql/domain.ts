/** Which values an argument or an input field takes. Ids and moments need none: their types say it. */
export interface Domain {
  /** Of a number. */
  min?: number
  /** What a number counts, for the words of a refusal. */
  unit?: string | undefined
  /** Of a number, or how many characters a text has at most. */
  max?: number
  /** Whether a text may have several lines. */
  lines?: boolean
  /** How many entries a list has at most. */
  items?: number
}

const domain = (of: Domain) => ({ extensions: { domain: of } })

/** A text of at most so many characters, without control characters. */
export const text = (max = 80, { lines = false } = {}) => domain({ max, lines })

/** A number from `min` to `max`. */
export const range = (min: number, max: number, unit?: string) => domain({ min, max, unit })

/** At most so many entries; for texts also how long each is at most. */
export const upTo = (items: number, of: Domain = {}) => domain({ ...of, items })
