import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { generate, panelOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'

const storedIt = (page: Page) => page.getByRole('button', { name: 'I have stored it' })

const it = inPanel()

describe('the secret of a new key', () => {
  it('W4: Escape and a click outside do not close it', async ({ page, panel }) => {
    const secret = await generate(page)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    expect(await page.getByLabel('Secret').inputValue()).toBe(secret)
    const dialog = page.getByRole('dialog').filter({ has: page.getByLabel('Secret') })
    expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
    await storedIt(page).click()
    await page.getByLabel('Secret').waitFor({ state: 'detached' })
    expect(await panel.count()).toBe(1)
  })

  it('W4: a reload asks first, but not once the secret is stored', async ({ page }) => {
    const secret = await generate(page)
    const asked: string[] = []
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type())
      await dialog.dismiss()
    })
    await page.evaluate('void setTimeout(() => location.reload())')
    await expect.poll(() => asked).toEqual(['beforeunload'])
    expect(await page.getByLabel('Secret').inputValue()).toBe(secret)
    await storedIt(page).click()
    await page.reload()
    await panelOf(page).waitFor()
    expect(asked).toHaveLength(1)
  })

  it('W4: going back asks first: staying keeps the secret, leaving discards it', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await page.getByRole('link', { name: 'API Keys' }).click()
    const secret = await generate(page)

    await page.evaluate('history.back()')
    await page.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Stay' }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Secret').inputValue()).toBe(secret)
    await expect.poll(() => page.url()).toContain('/users/api-keys')

    await page.evaluate('history.back()')
    await page.getByRole('button', { name: 'Leave anyway' }).click()
    await panelOf(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Secret').count()).toBe(0)
    expect(page.url()).toBe(`${world.url}/${acme.slug}/users`)
  })

  it('K4: who leaves before it is there is told that nobody has seen it', async ({ page }) => {
    const held = Promise.withResolvers<void>()
    await page.route('**/portal/graphql', async (route) => {
      if (route.request().postData()?.includes('generateApiKey')) await held.promise
      await route.continue()
    })
    await page.getByLabel('Label', { exact: true }).fill('nightly-export')
    await page.getByRole('button', { name: 'Generate Key' }).click()
    await page.waitForRequest((request) => request.postData()?.includes('generateApiKey') ?? false)
    await page.keyboard.press('Escape')
    await panelOf(page).waitFor({ state: 'detached' })
    held.resolve()
    await page.getByText('The key “nightly-export” was generated, but you left before its secret was shown.').waitFor()
  })

  it('W4: the secret stays when the session is revoked elsewhere', async ({ page }) => {
    const secret = await generate(page)
    await page.context().request.post('/auth/sign-out', { data: {} })
    await page.getByText('Leave without storing it?').waitFor()
    expect(await page.getByLabel('Secret').inputValue()).toBe(secret)
    await storedIt(page).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  it('W4: without clipboard access (plain http) the field is selected', async ({ page }) => {
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    const secret = await generate(page)
    const selected = async (name: string) => {
      await page.getByRole('button', { name }).click()
      return page.evaluate('getSelection().toString()')
    }
    expect(await selected('Copy secret')).toBe(secret)
    await page.getByRole('button', { name: 'Press Ctrl+C' }).waitFor()
    expect(await selected('Copy curl')).toContain(`api-secret: ${secret}`)
    await page.getByRole('tab', { name: '.env' }).click()
    expect(await selected('Copy .env')).toBe(`API_SECRET=${secret}`)
  })
})
