import { randomBytes, randomUUID } from 'node:crypto'

export const someBytes = (count: number): Buffer => randomBytes(count)

/** A random whole number from 1 to 2 ** 48: two are never the same, and a number holds it exactly. */
export const randomWhole = (): number => 1 + randomBytes(6).readUIntBE(0, 6)

/** A random number from 0 up to this one; not for secrets. */
export const upTo = (most: number): number => Math.random() * most

export const newUuid = (): string => randomUUID()
