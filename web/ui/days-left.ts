/** How soon something ends, counted as the letters and warnings do: what is left of a day is a day. */
export const daysLeftInWords = (daysLeft: number) => (daysLeft <= 1 ? 'within a day' : `in ${daysLeft} days`)
