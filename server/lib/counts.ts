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
