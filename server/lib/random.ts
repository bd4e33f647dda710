import { randomBytes } from 'node:crypto'

/** Bytes that nobody can foretell. */
export const someBytes = (count: number): Buffer => randomBytes(count)

/** A number from 0 up to this one, for what need not be secret. */
export const upTo = (most: number): number => Math.random() * most
