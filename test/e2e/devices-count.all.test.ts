import { expect } from 'vitest'
import { newId } from '../../server/lib/id.ts'
import { partsOf } from '../../server/lib/parts.ts'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, press } from '../support/browser/portal-page.ts'

const MANY = 10_060
const AT_ONCE = 500

const it = inPortalOrganization()

it('many devices are counted on every page: all of them, and up to 10,000 that match a filter', async ({
  portal,
  ada,
  acme,
}) => {
  const now = Date.now()
  const rows = Array.from({ length: MANY }, (_, i) => ({
    id: newId(now),
    organizationId: acme.id,
    name: `edge-${i}`,
    nameKey: `edge-${i}`,
    enabled: i < MANY - 60 ? (1 as const) : (0 as const),
    tags: '[]',
    createdAt: now,
    updatedAt: now,
  }))
  await portal.world.database.transaction(async (db) => {
    for (const part of partsOf(rows, AT_ONCE)) await db.insertInto('device').values(part).execute()
  })
  const page = await portal.signIn(ada, { path: `/${acme.slug}/devices` })
  const words = page.getByRole('status').filter({ hasText: 'device' })
  const says = (summary: string) => expect.poll(() => words.innerText()).toBe(summary)
  await says('10,060 devices')
  await page.getByRole('link', { name: 'Next' }).click()
  await says('Page 2 · 10,060 devices')
  await page.getByRole('searchbox', { name: 'Search' }).fill('edge')
  await says('More than 10,000 devices match')
  await expectAccessible(page)
  await page.getByRole('checkbox', { name: 'Select all devices on this page' }).click()
  await page.getByRole('button', { name: 'Select all that match' }).waitFor()
  await page.getByRole('combobox', { name: 'Enabled' }).selectOption('Enabled')
  await says('10,000 devices match')
  await press(page, 'Clear filters')
  await says('10,060 devices')
  await page.getByRole('combobox', { name: 'Enabled' }).selectOption('Disabled')
  await says('60 devices match')
})
