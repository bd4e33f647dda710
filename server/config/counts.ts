/** Counts events by name since the start of the process; read by /metrics. */
export interface Counts {
  add(name: string, howOften?: number): void
  readonly entries: ReadonlyMap<string, number>
}

function createCounts(): Counts {
  const entries = new Map<string, number>()
  return { entries, add: (name, howOften = 1) => void entries.set(name, (entries.get(name) ?? 0) + howOften) }
}

export const limitRefusals = createCounts()
export const failedSignIns = createCounts()
/** Attempts to deliver to webhooks, by their result. */
export const webhookAttempts = createCounts()
/** The share of each kind of stored bytes that the organization with the most has used, as of the last count. */
export const storageUsed = new Map<string, number>()
/** Deliveries that wait, as of the last look, and how late the one that is due the longest is. */
export const webhookQueue = { pending: 0, lagMs: 0 }
