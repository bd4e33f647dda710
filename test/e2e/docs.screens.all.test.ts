import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, PHONE } from '../support/browser/portal-page.ts'

const it = inPortal()

describe('the documents', () => {
  it('are read without signing in, from the list to a section of another document', async ({ portal }) => {
    const page = await portal.open({ path: '/docs/' })
    await heading(page, 'Documents').waitFor()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'The API', exact: true }).click()
    await heading(page, 'The API').waitFor()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'operations.md' }).first().click()
    await heading(page, 'Operations').waitFor()
    expect(page.url()).toMatch(/\/docs\/operations#browsers$/)
    await expectAccessible(page)
  })

  it('on a phone the contents are behind a button, which works by keyboard', async ({ portal }) => {
    const page = await portal.open({ path: '/docs/errors', viewport: PHONE })
    await heading(page, 'Errors').waitFor()
    const menu = page.getByRole('navigation', { name: 'Documents' })
    expect(await menu.isVisible()).toBe(false)
    await page.locator('summary').focus()
    await page.keyboard.press('Enter')
    await menu.waitFor()
    await expectAccessible(page)
    await menu.getByRole('link', { name: 'Operations' }).press('Enter')
    await heading(page, 'Operations').waitFor()
    await expectAccessible(page)
  })

  it('an address without anything says so, and leads on', async ({ portal }) => {
    const page = await portal.open({ path: '/nothing.php' })
    await heading(page, 'Not found').waitFor()
    expect(await page.title()).toBe('Not found · Edge Management Portal')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Read the documents' }).click()
    await heading(page, 'Documents').waitFor()
  })
})
