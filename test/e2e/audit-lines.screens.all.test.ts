import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'

const it = inPortalOrganization()

const events = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem')
const sentence = (page: Page, words: string) => events(page).filter({ hasText: words })

it('what one call did to many devices is one line with their number, which opens', async ({ portal, world, ada }) => {
  const soylent = await world.organization('Soylent', { admin: ada, apiKeys: false })
  const inputs = Array.from({ length: 60 }, (_, index) => ({ name: `device-${index}` }))
  const add =
    'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { device { id } } } }'
  expect((await soylent.call(add, { inputs })).errors).toEqual([])
  const page = await portal.signIn(ada, { path: `/${soylent.slug}/audit` })
  await sentence(page, 'Ada added 60 devices').waitFor()
  await page.getByText('View each').click()
  const each = page.getByRole('list', { name: 'The 60 devices' }).getByRole('listitem')
  await expect.poll(() => each.count()).toBe(50)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show older events' }).click()
  await expect.poll(() => each.count()).toBe(60)
  await sentence(page, 'Ada created the account Soylent').waitFor()
})

it('copies times as they are, in place of how long ago they were', async ({ portal, ada, acme }) => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const page = await portal.signIn(ada, { path: `/${acme.slug}/audit`, permissions })
  await events(page).first().waitFor()
  const exact = await page.locator('time').first().getAttribute('title')
  await page.evaluate('getSelection().selectAllChildren(document.querySelector("main"))')
  await page.keyboard.press('ControlOrMeta+c')
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain(exact)
  await expect.poll(() => page.locator('time').first().innerText()).toMatch(/ago|now/)
})
