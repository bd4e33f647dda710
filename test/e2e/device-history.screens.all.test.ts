import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'
import { fleetOf } from '../support/world/fleet.ts'

const DAY = 86_400_000

const it = inPortalOrganization().extend('device', async ({ world, acme }) => {
  const id = await fleetOf(acme).add({ name: 'press-7', firmwareVersion: '1.0' })
  const today = Date.now() - (Date.now() % DAY)
  const days = JSON.stringify([
    [today - 28 * DAY, 1_000, 4],
    [today - 2 * DAY, 2_000, 1_200],
  ])
  await world.database.transaction((db) => db.insertInto('deviceCheckIns').values({ deviceId: id, days }).execute())
  return { id, path: `/${acme.slug}/devices/${id}` }
})

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

const REPORT =
  'mutation ($id: ID!, $version: String!) { checkInDevice(id: $id, input: { firmwareVersion: $version }) { id } }'

describe('the history of a device', () => {
  it('shows its check-ins of 30 days as a chart that is read by keys, and as numbers', async ({
    portal,
    ada,
    acme,
    device,
  }) => {
    await fleetOf(acme).checkIn(device.id)
    const page = await portal.signIn(ada, { path: device.path })
    const checkIns = section(page, 'Check-ins')
    await checkIns.getByRole('img', { name: '1,205 check-ins in 30 days' }).waitFor()
    const cursor = checkIns.getByRole('slider')
    await cursor.focus()
    await expect.poll(() => cursor.getAttribute('aria-valuetext')).toMatch(/: 1 check-in$/)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => cursor.getAttribute('aria-valuetext')).toMatch(/: No check-ins$/)
    await checkIns.getByText('Show as table').click()
    expect(await checkIns.getByRole('columnheader').allInnerTexts()).toEqual(['Day (UTC)', 'Check-ins'])
    expect(await checkIns.getByRole('row').locator('td:last-child').allInnerTexts()).toEqual(['1', '1,200', '4'])
    await expectAccessible(page)
  })

  it('a device that never checked in says so', async ({ portal, ada, acme }) => {
    const id = await fleetOf(acme).add({ name: 'spare' })
    const page = await portal.signIn(ada, { path: `/${acme.slug}/devices/${id}` })
    await section(page, 'Check-ins').getByText('No check-ins in 30 days').waitFor()
    await expectAccessible(page)
  })

  it('shows Admins what was changed, with the firmware before and after, and what follows by itself', async ({
    portal,
    ada,
    acme,
    device,
  }) => {
    const key = portal.world.asKey((await acme.generateKey({ label: 'updater' })).secret)
    await key.call(REPORT, { id: device.id, version: '1.1' })
    await fleetOf(acme).add({ name: 'other' })
    const page = await portal.signIn(ada, { path: device.path })
    await page.clock.install()
    await page.reload()
    const events = section(page, 'Changes').getByRole('list', { name: 'Events' }).getByRole('listitem')
    await expect.poll(() => events.count()).toBe(2)
    expect(await events.first().innerText()).toMatch(/API key updater updated the device press-7/)
    expect(await events.first().getByRole('definition').innerText()).toMatch(/^1\.0\s→.*1\.1$/s)
    expect(await events.last().innerText()).toMatch(/Ada added the device press-7/)
    expect(await events.last().getByRole('definition').count(), 'all fields of a new device').toBe(0)
    await expectAccessible(page)

    await key.call(REPORT, { id: device.id, version: '1.2' })
    await page.clock.runFor(11_000)
    await expect.poll(() => events.first().getByRole('definition').innerText()).toMatch(/^1\.1\s→.*1\.2$/s)
    await page.getByRole('button', { name: 'Disable' }).click()
    await expect.poll(() => events.count()).toBe(4)
    expect(await events.first().innerText()).toMatch(/Ada updated the device press-7.*enabled/s)

    await events.first().getByRole('link', { name: 'Ada' }).click()
    await page.waitForURL(`**/${acme.slug}/audit?actor=*`)
  })

  it('is for Admins as far as it is in the audit log', async ({ portal, bob, device }) => {
    const page = await portal.signIn(bob, { path: device.path })
    await section(page, 'Check-ins').waitFor()
    await page.getByRole('heading', { name: 'Check in', exact: true }).waitFor()
    expect(await page.getByRole('heading', { name: 'Changes' }).count()).toBe(0)
  })
})
