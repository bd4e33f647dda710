import { randomBytes } from 'node:crypto'

/** Bytes that nobody can foretell. */
export const someBytes = (count: number): Buffer => randomBytes(count)
