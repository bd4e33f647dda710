import { createRequire } from 'node:module'

/** Loads a package at once, at the moment of its first use; the bundle of the package contains it all the same. */
export const requireLater = createRequire(import.meta.url)
