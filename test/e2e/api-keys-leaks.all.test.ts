import type { Page, Response } from 'playwright-core'
import { describe, expect } from 'vitest'
import { callAs, noSidewaysScrollInDialogs, openPanelOf, panelOf, rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'
import { fieldOf } from '../support/world/people.ts'

const it = inPanel()

const ROLE = '{ viewer { role } }'

async function open(page: Page, name: string): Promise<void> {
  await panelOf(page).getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

describe('Report a leaked key', () => {
  it('names the key before it is revoked, by keyboard alone', async ({ portal, world, acme, page }) => {
    const key = await acme.generateKey({ label: 'nightly export' })
    await callAs(portal, 'cron/1', key.secret, ROLE)
    await rowOf(page, 'nightly export').waitFor()
    await panelOf(page).getByRole('button', { name: 'More', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Report a leaked key' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    const secret = dialogOf(page, 'Report a leaked key').getByLabel('Secret', { exact: true })
    await secret.and(page.locator(':focus')).waitFor()
    await page.keyboard.type(key.secret)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expectAccessible(page)
    await page.getByLabel('Where it was found').fill(`https://example.com/${key.secret}`)
    await page.keyboard.press('Enter')
    const question = dialogOf(page, 'Revoke this leaked key?')
    await question.getByText('nightly export').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel')
    await expectAccessible(page)
    expect(await world.accepts(key.secret)).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('“nightly export” was revoked. Calls with it are now refused.').waitFor()
    await rowOf(page, 'nightly export').waitFor({ state: 'detached' })
    expect(await world.accepts(key.secret)).toBe(false)
  })

  it('says what is wrong at the field, and what a secret of nobody means', async ({ page }) => {
    await open(page, 'Report a leaked key')
    const dialog = dialogOf(page, 'Report a leaked key')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('This field is required.').waitFor()
    await dialog.getByRole('textbox', { name: 'Secret' }).fill('emp_half')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('The whole secret of an API key').waitFor()
  })
})

describe('Canary keys', () => {
  it('are generated, show who used them, and are deleted', async ({ portal, page }) => {
    await open(page, 'Canary keys')
    const dialog = dialogOf(page, 'Canary keys')
    await dialog.getByText('No canary keys yet.').waitFor()
    await dialog.getByLabel('Where you put it').fill('in the wiki')
    await dialog.getByRole('button', { name: 'Generate canary key' }).click()
    const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue()
    expect(secret).toMatch(/^emp_[0-9A-Za-z]{49}$/)
    await dialog.getByText('Never used').waitFor()
    await expectAccessible(page)
    expect((await callAs(portal, 'thief/1', secret, ROLE)).status).toBe(401)
    await dialog.getByText(/Used once, last from 127\.0\.0\.1 .* by thief\/1/).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Delete the canary key in the wiki' }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByText('No canary keys yet.').waitFor()
  })

  it('that were used are announced on every page until that is dismissed, and again by the next call', async ({
    portal,
    ada,
    acme,
  }) => {
    const { secret } = fieldOf<{ secret: string }>(
      await acme.call('mutation { generateCanaryApiKey(label: "backup") { secret } }'),
    )
    const isCounted = (calls: number) =>
      expect.poll(async () => fieldOf(await acme.call('{ canaryApiKeys { calls } }'))).toEqual([{ calls }])
    const page = await portal.signIn(ada, { path: `/${acme.slug}/devices` })
    const notice = page.getByRole('complementary', { name: 'Canary keys that were used' })
    await callAs(portal, 'thief/1', secret, ROLE)
    await isCounted(1)
    await page.reload()
    await notice.getByText('A canary key was used: backup, from 127.0.0.1', { exact: true }).waitFor()
    await expectAccessible(page)
    await notice.getByRole('link').click()
    await dialogOf(page, 'Canary keys')
      .getByText(/Used once/)
      .waitFor()
    await page.keyboard.press('Escape')
    await dialogOf(page, 'Canary keys').waitFor({ state: 'detached' })
    await page.goto(`/${acme.slug}/audit`)
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await notice.waitFor({ state: 'detached' })
    const isAnswer = (response: Response) => response.request().postData()?.includes('canaryApiKeys') ?? false
    await Promise.all([page.waitForResponse(isAnswer), page.reload()])
    await page.waitForLoadState('networkidle')
    expect(await notice.count()).toBe(0)
    await callAs(portal, 'thief/2', secret, ROLE)
    await isCounted(2)
    await page.reload()
    await notice.waitFor()
  })

  it('fit on a phone', async ({ portal, ada, acme }) => {
    const page = await openPanelOf(portal, ada, acme, { viewport: PHONE })
    await acme.call(`mutation { generateCanaryApiKey(label: "${'long'.repeat(20)}") { secret } }`)
    for (const name of ['Canary keys', 'Report a leaked key']) {
      await open(page, name)
      await dialogOf(page, name).waitFor()
      if (name === 'Canary keys') await page.getByText('Never used').waitFor()
      await noSidewaysScrollInDialogs(page)
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await dialogOf(page, name).waitFor({ state: 'detached' })
    }
  })
})
