import { beginsWith } from '../db/prefix.ts'
import type { Db } from '../db/tables.ts'

const LONGEST = 40

/** First words of the portal's own paths: no organization may stand in their place. */
const RESERVED = new Set(
  `api api-keys assets audit auth devices docs favicon forgot-password graphql health invitations me metrics new oauth
  portal profile public reset reset-password robots settings sign-in sign-out sign-up static support users verify-email
  well-known`.split(/\s+/),
)

/** `Acme Edge` becomes `acme-edge`; what cannot be spelled in plain letters is left out. */
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

/** The first of `acme`, `acme-2`, `acme-3`, … that nobody has. */
export async function freeSlug(db: Db, name: string): Promise<string> {
  const wanted = slugOf(name)
  const taken = await db
    .selectFrom('organization')
    .select('slug')
    .where((eb) => beginsWith(eb, 'slug', wanted))
    .execute()
  const slugs = new Set(taken.map((row) => row.slug))
  for (let number = 1; ; number++) {
    const slug = number === 1 ? wanted : `${wanted}-${number}`
    if (!slugs.has(slug) && !RESERVED.has(slug)) return slug
  }
}
