import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { openSqlite } from '../db/sqlite/database.ts'
import { WEB_ROUTES } from '../http/web-routes.ts'
import { insertOrganization } from './organization.ts'
import { isReserved, slugOf } from './slug.ts'

it('transliterates a name', () => {
  const slugs = ['Acme Edge', '  Ünïcode & Söhne ', '東京', '--a--', 'x'.repeat(80)].map(slugOf)
  expect(slugs).toEqual(['acme-edge', 'unicode-sohne', 'organization', 'a', 'x'.repeat(40)])
})

it('a taken name gets a number, and from the tenth on random letters', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  const database = openSqlite(folder)
  await migrate(database)
  const slugs: string[] = []
  for (let i = 0; i < 12; i++) {
    const made = await database.transaction((db) => insertOrganization(db, 0, { kind: 'ORGANIZATION', name: 'Acme' }))
    slugs.push(made.slug)
  }
  expect(slugs.slice(0, 9)).toEqual(['acme', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `acme-${number}`)])
  for (const slug of slugs.slice(9)) expect(slug).toMatch(/^acme-[0-9a-f]{10}$/)
  expect(new Set(slugs).size).toBe(12)
  const reserved = await database.transaction((db) => insertOrganization(db, 0, { kind: 'ORGANIZATION', name: 'Docs' }))
  expect(reserved.slug).toBe('docs-2')
  await database.close()
  rmSync(folder, { recursive: true })
})

it('no organization can be at a path of the portal', () => {
  const own = ['graphql', 'portal', 'mcp', 'docs', 'leaks', 'auth', 'health', 'metrics', 'assets']
  const ofWeb = WEB_ROUTES.map((route) => route.split('/')[1] ?? '').filter((part) => part !== '' && part !== '$slug')
  expect([...own, ...ofWeb].filter((segment) => !isReserved(segment))).toEqual([])
})
