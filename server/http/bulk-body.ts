import { LIMITS, rateLimited } from '../config/limits.ts'
import { SECOND } from '../lib/clock.ts'
import { CountByName } from '../lib/count-by-name.ts'
import { tooLarge } from '../lib/too-large.ts'

/** What is read beyond the general limit. */
export interface BulkLimit {
  maxBytes: number
  /** Throws where there is no room. Returns what to call when the body has been read, or will not be. */
  start(): () => void
}

/** The limit of an organization for large bodies. */
export type BulkOf = (organizationId: string) => BulkLimit

const MESSAGE = 'Too many large requests at the same time. Send one after the other.'

/** Large bodies that are being read: each occupies memory until it is there as a whole. */
export function createBulkBodies(maxBytes: number): BulkOf {
  const read = new CountByName()

  function start(organizationId: string): () => void {
    if (read.of(organizationId) >= LIMITS.bulk_bodies_of_organization)
      throw rateLimited('bulk_bodies_of_organization', SECOND, MESSAGE)
    if (read.all >= LIMITS.bulk_bodies) throw rateLimited('bulk_bodies', SECOND, MESSAGE)
    read.add(organizationId, 1)
    return () => read.add(organizationId, -1)
  }

  return (organizationId) => ({ maxBytes, start: () => start(organizationId) })
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** More than 500 devices have. With this many, and so little beside them, parsing takes no longer than that of other bodies. */
const MAX_TEXTS = 25_000

/** Refuses what is large by anything but long texts: parsing it would take too long. In pieces, so that nobody waits for the whole of it. */
export function createTextsCheck(mostBytes: number): (piece: Buffer) => void {
  let outside = 0
  let texts = 0
  let isText = false
  let isEscaped = false
  return (piece) => {
    for (const byte of piece) {
      if (isEscaped) isEscaped = false
      else if (isText && byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) {
        isText = !isText
        if (isText) texts += 1
      } else if (!isText) outside += 1
    }
    if (outside > mostBytes || texts > MAX_TEXTS) throw tooLarge(mostBytes)
  }
}
