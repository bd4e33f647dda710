import { Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { KnownPoint } from '../known-point.ts'
import { lookup } from '../lookup.ts'
import type { Tables } from '../tables.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import type { AnyLookup } from './lookup-query.ts'
import { PostgresLookups } from './lookups.ts'
import { POSTGRES_TIMEOUTS } from './timeouts.ts'

const bySlug = lookup({ slug: 'text' }, (db, { slug }) =>
  db.selectFrom('organization').select('id').where('slug', '=', slug),
) as unknown as AnyLookup

it('a connection that fails while statements are prepared is closed', async () => {
  let open = 0
  const connection = (): PostgresConnection => {
    open++
    return {
      isOpen: true,
      openedAt: 0,
      timeouts: POSTGRES_TIMEOUTS,
      server: '',
      query: () => Promise.reject(new Error('planted')),
      copyIn: () => Promise.reject(new Error('not asked')),
      copyOut: () => {
        throw new Error('not asked')
      },
      close: () => void open--,
    }
  }
  const lookups = new PostgresLookups({
    open: async () => connection(),
    db: new Kysely<Tables>({ dialect: postgresDialect(() => Promise.reject(new Error('not asked'))) }),
    learnTime: () => {},
    counts: { asked: 0, queries: 0 },
    point: new KnownPoint(),
    deadlineMs: 60_000,
  })
  for (let i = 0; i < 3; i++) {
    await expect(lookups.lookUp(bySlug, { slug: 'acme' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  }
  expect(open).toBe(0)
})
