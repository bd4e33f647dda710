import type { Db } from '../db/tables.ts'
import { someBytes } from '../lib/random.ts'

const LONGEST = 40
const NUMBERED = 9
const RANDOM_BYTES = 5

/** First segments of the portal's own paths: no organization may use them. */
const RESERVED = new Set(
  `api api-keys assets audit auth devices docs favicon forgot-password graphql health invitations leaks mcp me metrics new
  oauth portal profile public reset reset-password robots settings sign-in sign-out sign-up static support users
  verify-email well-known`.split(/\s+/),
)

/** Whether it is a path of the portal's own, so that no organization has it. */
export const isReserved = (slug: string) => RESERVED.has(slug)

/** `Acme Edge` becomes `acme-edge`; characters that cannot be transliterated are dropped. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
  return (
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, LONGEST)
      .replace(/^-+|-+$/g, '') || 'organization'
  )
}

/** The first free one of `acme`, `acme-2` to `acme-9`; if all are taken, one with a random suffix. */
export async function freeSlug(db: Db, name: string): Promise<string> {
  const wanted = slugOf(name)
  const numbered = Array.from({ length: NUMBERED - 1 }, (_, i) => `${wanted}-${i + 2}`)
  const candidates = [wanted, ...numbered].filter((slug) => !isReserved(slug))
  const taken = await db.selectFrom('organization').select('slug').where('slug', 'in', candidates).execute()
  const free = candidates.find((slug) => !taken.some((row) => row.slug === slug))
  return free ?? `${wanted}-${someBytes(RANDOM_BYTES).toString('hex')}`
}
