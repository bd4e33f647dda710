import type { StoredKind } from './byte-budgets.ts'

/** How much an organization stores of a kind, in all or in one period: see stored-bytes.ts. */
export interface StoredBytesTable {
  organizationId: string
  /** The name of its limit. */
  kind: StoredKind
  /** When it begins; 0: all together. */
  period: number
  bytes: number
  /** The database refuses a write that would make it more. */
  atMost: number
}
