/** For how long an old secret still works beside the new one: as a choice, and in words. */
export const OVERLAPS: readonly { seconds: number; choice: string; duration?: string }[] = [
  { seconds: 0, choice: 'Immediately' },
  { seconds: 3_600, choice: 'In 1 hour', duration: 'for 1 more hour' },
  { seconds: 86_400, choice: 'In 1 day', duration: 'for 1 more day' },
  { seconds: 604_800, choice: 'In 7 days', duration: 'for 7 more days' },
]

/** For how long the old secret still works, which is no longer than its key; undefined: it does not. */
export function overlapInWords(overlap: number, expiresAt: string | null, now: number): string | undefined {
  const { seconds = 0, duration } = OVERLAPS.find((each) => each.seconds === overlap) ?? {}
  return duration && expiresAt !== null && Date.parse(expiresAt) < now + seconds * 1000 ? 'until it expires' : duration
}

export const DEFAULT_OVERLAP = 86_400

export const OVERLAP_CHOICES = OVERLAPS.map(({ seconds, choice }) => ({ value: String(seconds), label: choice }))

/** For how long a key can be paused. */
export const PAUSES: readonly { seconds: number | null; label: string }[] = [
  { seconds: 900, label: 'for 15 minutes' },
  { seconds: 3_600, label: 'for 1 hour' },
  { seconds: 86_400, label: 'for 1 day' },
  { seconds: null, label: 'until resumed' },
]
