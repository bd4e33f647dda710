const inFull = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** What a rotation means for the old secret; null: it is no longer used. */
export const bothUntil = (moment: string | null) =>
  moment
    ? `Until ${inFull.format(new Date(moment))}, deliveries are signed with the old secret too: both work.`
    : 'The old secret is no longer used: deliveries are signed with the new one alone.'
