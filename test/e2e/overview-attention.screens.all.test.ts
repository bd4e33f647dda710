import { expect } from 'vitest'
import { DAY, HOUR } from '../../server/lib/clock.ts'
import { panelOf } from '../support/browser/api-keys-panel.ts'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading } from '../support/browser/portal-page.ts'
import { countCalls } from '../support/world/count-calls.ts'
import { fleetOf } from '../support/world/fleet.ts'
import { keyRow } from '../support/world/inserted-keys.ts'

const it = inPortalOrganization()

it('the overview names what needs attention first, with the way to it', async ({ portal, world, ada, acme }) => {
  const given = { organizationId: acme.id, createdAt: Date.now() - 200 * DAY, expiresAt: null }
  const expiring = {
    ...keyRow({ ...given, label: 'ends soon', expiresAt: Date.now() + 2 * DAY }),
    lastUsedAt: Date.now() - HOUR,
  }
  const away = await fleetOf(acme).add({ name: 'away' })
  await world.database.transaction(async (db) => {
    await db
      .insertInto('apiKey')
      .values([expiring, keyRow({ ...given, label: 'forgotten' })])
      .execute()
    await db
      .updateTable('device')
      .set({ lastSeenAt: Date.now() - 2 * DAY })
      .where('id', '=', away)
      .execute()
  })
  const page = await portal.signIn(ada, { path: `/${acme.slug}/overview` })
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByRole('link', { name: '1 key expires soon' }).waitFor()
  await attention.getByText('in 2 days').waitFor()
  await expectAccessible(page)

  await attention.getByRole('link', { name: 'away' }).click()
  await heading(page, 'away').waitFor()
  await page.goBack()
  await attention.getByRole('link', { name: 'ends soon' }).click()
  await heading(page, 'ends soon').waitFor()
  await page.goBack()
  await attention.getByRole('link', { name: '1 key is unused' }).click()
  await panelOf(page).getByRole('link', { name: 'forgotten' }).waitFor()
  expect(await panelOf(page).getByRole('link', { name: 'ends soon' }).count()).toBe(0)
})

it('narrows a key that can do more than it needs, and then says that nothing needs attention', async ({
  portal,
  world,
  ada,
  acme,
}) => {
  await fleetOf(acme).checkIn(await fleetOf(acme).add({ name: 'press-7' }))
  const { id } = await acme.generateKey({ label: 'exporter' })
  const createdAt = Date.now() - 20 * DAY
  await world.database.transaction(async (db) => {
    await db.updateTable('apiKey').set({ createdAt }).where('id', '=', id).execute()
  })
  await countCalls(world.database, [id], { at: Date.now() - HOUR, fields: ['devices'] })
  const page = await portal.signIn(ada, { path: `/${acme.slug}/overview` })
  await page.getByText('1 key can do more than it needs').waitFor()
  await page.getByRole('button', { name: 'Narrow to Read only' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Narrow to Read only' }).click()
  await page.getByText('Nothing needs attention.').waitFor()
  const { data } = await acme.call('query ($id: ID!) { apiKey(id: $id) { access } }', { id })
  expect(data).toEqual({ apiKey: { access: 'READ_ONLY' } })
})
