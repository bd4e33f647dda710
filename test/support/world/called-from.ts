import type { CalledFrom } from '../../../server/caller/verify-key.ts'

/** A script on this machine. */
export const LOOPBACK: CalledFrom = { address: '127.0.0.1', origin: undefined }
