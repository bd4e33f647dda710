/** Budgets that depend on the architecture. */
interface Budgets {
  /** Requests a second, portal against floor. */
  ofFloor: number
  /** Requests a second, portal against Yoga. */
  ofYoga: number
}

const BY_ARCHITECTURE: Partial<Record<NodeJS.Architecture, Budgets>> & { x64: Budgets } = {
  x64: { ofFloor: 0.8, ofYoga: 4 },
  arm64: { ofFloor: 0.75, ofYoga: 3 },
}

/** Those of this machine; elsewhere, those of x64. */
export const budgetsOf = (architecture: NodeJS.Architecture = process.arch): Budgets =>
  BY_ARCHITECTURE[architecture] ?? BY_ARCHITECTURE.x64
