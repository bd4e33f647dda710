import fastCheck from 'fast-check'
import { seed } from './seed.ts'

// Its own seed would come from the clock. When a property fails it prints the one that it had.
fastCheck.configureGlobal({ seed })

/** fast-check with the seed of this run. */
export const fc: typeof fastCheck = fastCheck
