import type { Valkey } from '../valkey.ts'
import type { Leases } from './leases.ts'

/** Where processes count together. Neither: each counts for itself. */
export interface Shared {
  valkey?: Valkey | undefined
  /** Of the workers of one parent. */
  leases?: Leases | undefined
}
