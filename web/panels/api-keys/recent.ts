export const DAY_MS = 86_400_000

/** Whether a key was used within a day: something would notice that it is gone. */
export const wasUsedRecently = ({ lastUsedAt }: { lastUsedAt: string | null }) =>
  lastUsedAt !== null && Date.parse(lastUsedAt) > Date.now() - DAY_MS
