import { availableParallelism } from 'node:os'

const MOST = 4

/** Passwords that are hashed at once, by all workers together: more would only wait for a core. */
export const PASSWORDS_AT_ONCE = Math.min(MOST, availableParallelism())
