import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { askToRevoke, generate, openPanelOf, panelOf, rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { press } from '../support/browser/portal-page.ts'

/** What the focus is on, by its text. */
const focused = (page: Page) => page.evaluate('document.activeElement?.textContent')

const it = inPanel()

describe('the focus in the API Keys panel', () => {
  it('begins at Generate Key, and the Enter that opened the panel generates nothing while it is held', async ({
    portal,
    ada,
    acme,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    const link = page.getByRole('link', { name: 'API Keys' })
    await link.focus()
    await page.keyboard.down('Enter')
    await panelOf(page).waitFor()
    await expect.poll(() => focused(page)).toBe('Generate Key')
    await page.keyboard.down('Enter')
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await page.getByText('No keys yet').waitFor()
    expect((await acme.call('{ apiKeys { totalCount } }')).data).toEqual({ apiKeys: { totalCount: 0 } })
    await page.keyboard.press('Enter')
    await page.getByLabel('Secret').waitFor()
  })

  it('is on the new key once its secret is stored, however it was generated', async ({ page }) => {
    await generate(page, 'by mouse')
    await rowOf(page, 'by mouse').waitFor({ state: 'attached' })
    await press(page, 'I have stored it')
    await expect.poll(() => focused(page)).toBe('by mouse')
    await page.getByLabel('Label').fill('by keyboard')
    await page.keyboard.press('Enter')
    await page.getByLabel('Secret').waitFor()
    await rowOf(page, 'by keyboard').waitFor({ state: 'attached' })
    await press(page, 'I have stored it')
    await expect.poll(() => focused(page)).toBe('by keyboard')
  })

  it('is on the next key after a revoke, and on the one before after the last', async ({ portal, ada, acme }) => {
    for (const label of ['third', 'second', 'first']) await acme.generateKey({ label })
    const page = await openPanelOf(portal, ada, acme)
    for (const [label, next] of [
      ['second', 'third'],
      ['third', 'first'],
    ] as const) {
      await askToRevoke(page, label)
      await press(page, 'Revoke this key')
      await rowOf(page, label).waitFor({ state: 'detached' })
      await expect.poll(() => focused(page)).toBe(next)
    }
    await askToRevoke(page, 'first')
    await press(page, 'Cancel')
    await rowOf(page, 'first').getByRole('button', { name: 'Actions for' }).and(page.locator(':focus')).waitFor()
  })
})
