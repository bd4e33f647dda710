import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'

const it = inPortal()

const entry = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

describe('the reference of the API', () => {
  it('finds operations and types, and says what they take, return and need', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/api` })
    await page.getByRole('navigation', { name: 'API' }).getByRole('link', { name: 'Reference' }).click()
    await expect.poll(() => page.title()).toBe('API reference · Acme · Edge Management Portal')
    await page.getByRole('searchbox', { name: 'Search the reference' }).fill('checkInDevice')
    await page.waitForURL('**/api/reference?search=checkInDevice')
    await page.getByRole('status').getByText('0 queries, 2 mutations').waitFor()
    const checkIn = entry(page, 'checkInDevice')
    for (const words of ['Returns Device', 'DEVICES', 'CHECK_IN', 'id: ID'])
      await checkIn.getByText(words, { exact: true }).first().waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectAccessible(page)
    await checkIn.getByRole('link', { name: 'Device', exact: true }).click()
    await page.waitForURL('**/api/reference#type-Device')
    await expect.poll(() => entry(page, 'Device').and(page.locator(':focus')).count()).toBe(1)
    await page.goBack()
    await page.getByRole('status').getByText('2 mutations').waitFor()
    await page.goto(`/${acme.slug}/api/reference#type-Device`)
    await page.getByRole('searchbox').fill('zzqx')
    await page.waitForURL('**/api/reference?search=zzqx')
    await page.getByText('Nothing matches “zzqx”.').waitFor()
  })

  it('opens at the place that a link names, in full or in short', async ({ portal, ada, acme }) => {
    for (const path of [
      'api#type-DeviceStatus',
      'api/reference#type-DeviceStatus',
      'api/reference?search=audit#type-DeviceStatus',
    ]) {
      const page = await portal.signIn(ada, { path: `/${acme.slug}/${path}` })
      await page.waitForURL('**/api/reference#type-DeviceStatus')
      const named = entry(page, 'DeviceStatus')
      await expect.poll(() => named.and(page.locator(':focus')).count()).toBe(1)
      await expect.poll(() => named.boundingBox().then((box) => box?.y)).toBeLessThan(300)
    }
  })

  it('says what only people may call', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/api/reference?search=revokeOtherSessions` })
    await entry(page, 'revokeOtherSessions').getByText('For signed-in people, not for keys.').waitFor()
  })
})
