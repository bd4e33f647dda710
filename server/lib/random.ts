import { randomBytes } from 'node:crypto'

/** Cryptographically secure random bytes. */
export const someBytes = (count: number): Buffer => randomBytes(count)

/** A random number from 0 up to this one; not for secrets. */
export const upTo = (most: number): number => Math.random() * most
