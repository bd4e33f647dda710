/** For how long a key can be paused. */
export const PAUSES: readonly { seconds: number | null; label: string }[] = [
  { seconds: 900, label: 'for 15 minutes' },
  { seconds: 3_600, label: 'for 1 hour' },
  { seconds: 86_400, label: 'for 1 day' },
  { seconds: null, label: 'until resumed' },
]
