import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { generate, openPanelOf, rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'

const expiration = (page: Page) => page.getByLabel('Expiration', { exact: true })
const chosenIn = (page: Page) => expiration(page).locator('option:checked').innerText()
const storedIt = (page: Page) => page.getByRole('button', { name: 'I have stored it' })

const it = inPanel()

describe('The expiration of a key, in Generate Key', () => {
  it('C7: takes the label and a custom date; the key expires at the end of that day in the local time zone', async ({
    portal,
    ada,
    acme,
  }) => {
    const page = await openPanelOf(portal, ada, acme, { timezoneId: 'America/New_York' })
    await expiration(page).selectOption('Custom date')
    const today = await page.evaluate(`new Date().toLocaleDateString('sv')`)
    expect(await page.getByLabel('Expiration date').getAttribute('min')).toBe(today)
    await page.getByLabel('Expiration date').fill('2031-01-31')
    await generate(page, ' nightly-export ')
    const { data } = await acme.call('{ apiKeys { data { label expiresAt } } }')
    expect(data).toEqual({ apiKeys: { data: [{ label: 'nightly-export', expiresAt: '2031-02-01T04:59:59.999Z' }] } })
    await storedIt(page).click()
    await rowOf(page, 'nightly-export')
      .getByText(/^in \d+ years$/)
      .waitFor()
    expect(await page.getByLabel('Label').inputValue()).toBe('')
    expect(await chosenIn(page)).toBe('No expiration')
    expect(await page.getByLabel('Expiration date').count()).toBe(0)
  })

  it('K7, C7: a key has no expiration unless a preset is chosen', async ({ acme, page }) => {
    expect(await expiration(page).locator('option').allInnerTexts()).toEqual([
      'No expiration',
      '7 days',
      '30 days',
      '90 days',
      '1 year',
      'Custom date',
    ])
    await generate(page, 'none')
    await storedIt(page).click()
    await expiration(page).selectOption('30 days')
    await generate(page, 'month')
    await storedIt(page).click()
    const { data } = await acme.call('{ apiKeys { data { label expiresAt } } }')
    const keys = (data as { apiKeys: { data: { label: string; expiresAt: string | null }[] } }).apiKeys.data
    const daysOf = (label: string) => {
      const { expiresAt = null } = keys.find((key) => key.label === label) ?? {}
      return expiresAt && Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)
    }
    expect([daysOf('none'), daysOf('month')]).toEqual([null, 30])
  })

  it('C7: a date in the past, or an incomplete date, is refused at its field, and the label stays', async ({
    acme,
    page,
    panel,
  }) => {
    await page.getByLabel('Label').fill('ci')
    await expiration(page).selectOption('Custom date')
    await page.getByLabel('Expiration date').fill('2020-01-31')
    await page.getByRole('button', { name: 'Generate Key' }).click()
    await panel.getByText('Choose a date in the future.').waitFor()
    expect(await page.getByLabel('Label').inputValue()).toBe('ci')
    await expectAccessible(page)

    await page.getByLabel('Expiration date').fill('')
    await page.getByLabel('Expiration date').pressSequentially('12')
    await page.getByRole('button', { name: 'Generate Key' }).click()
    await panel.getByText('Enter a date.').waitFor()
    const { data } = await acme.call('{ apiKeys { data { id } } }')
    expect(data).toEqual({ apiKeys: { data: [] } })
  })
})
