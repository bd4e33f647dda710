import { setFlagsFromString } from 'node:v8'

/** How much the heap may grow over what was in use at the last collection of everything, before the next one. */
const GROWTH_PERCENT = 50

/**
 * Objects that survive a moment are garbage soon after, some 150 bytes of each call. By default V8 collects them only when
 * they take several times what is in use, and then holds on to the memory. V8 reads the option each time.
 */
export const limitOldGeneration = (): void => setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
