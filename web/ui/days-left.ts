/** How soon a key expires, counted as in emails and warnings: the rest of a day is a day. */
export const daysLeftInWords = (daysLeft: number) => (daysLeft <= 1 ? 'within a day' : `in ${daysLeft} days`)
