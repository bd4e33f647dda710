import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inBigPortal } from '../support/browser/big-portal.ts'
import { expectAccessible, press, WIDE } from '../support/browser/portal-page.ts'

const it = inBigPortal().extend('page', ({ portal, ada, big }) =>
  portal.signIn(ada, { ...WIDE, path: `/${big.slug}/users` }),
)

const PEOPLE = 1001

const head = (page: Page, name: string) => page.getByRole('columnheader', { name })
const sortBy = (page: Page, name: string) => head(page, name).getByRole('button').click()
const firstIs = (page: Page, text: string) => page.getByRole('row').nth(1).filter({ hasText: text }).waitFor()

describe('a thousand people', () => {
  it('are all reached page by page, with their number', async ({ page }) => {
    await page.getByText('1,001 people').waitFor()
    const seen = new Set<string>()
    for (let from = 1; from <= PEOPLE; from += 25) {
      const to = Math.min(from + 24, PEOPLE)
      await page.getByText(`${from.toLocaleString('en')}–${to.toLocaleString('en')} of 1,001`).waitFor()
      for (const row of await page.getByRole('row').allTextContents()) seen.add(row)
      if (to < PEOPLE) await press(page, 'Next')
    }
    expect(seen.size).toBe(PEOPLE + 1)
    await page.getByRole('button', { name: 'Actions for Ada' }).waitFor()
  })

  it('are sorted at the head of a column, which is in the address, and said to a screen reader', async ({ page }) => {
    expect(await head(page, 'Joined').getAttribute('aria-sort')).toBe('ascending')
    await firstIs(page, 'person-0@')
    await press(page, 'Next')
    await head(page, 'Name').getByRole('button').focus()
    await page.keyboard.press('Enter')
    await firstIs(page, 'Ada')
    await page.getByText('1–25 of 1,001').waitFor()
    expect(new URL(page.url()).search).toBe('?order=name')
    expect(await head(page, 'Name').getAttribute('aria-sort')).toBe('ascending')
    expect(await head(page, 'Joined').getAttribute('aria-sort')).toBe(null)
    expect(await page.locator(':focus').textContent()).toBe('Name')
    await sortBy(page, 'Name')
    await firstIs(page, 'Person 99')
    expect(new URL(page.url()).search).toBe('?order=-name')
    expect(await head(page, 'Name').getAttribute('aria-sort')).toBe('descending')
    await page.reload()
    await firstIs(page, 'Person 99')
    await sortBy(page, 'Role')
    await firstIs(page, 'Ada')
    await sortBy(page, 'Joined')
    await firstIs(page, 'Ada')
    expect(new URL(page.url()).search).toBe('?order=-joined')
    await sortBy(page, 'Joined')
    await firstIs(page, 'person-0@')
    expect(new URL(page.url()).search).toBe('')
    await page.goBack()
    await firstIs(page, 'Ada')
    await expectAccessible(page)
  })

  it('are searched in the order that was chosen, also those that are not here yet', async ({ page }) => {
    await sortBy(page, 'Name')
    await firstIs(page, 'Ada')
    await sortBy(page, 'Name')
    await firstIs(page, 'Person 99')
    await page.getByRole('searchbox', { name: 'Search' }).fill('guest-49')
    await page.getByText('11 people').waitFor()
    await firstIs(page, 'guest-49@')
    expect(await page.getByRole('row').count()).toBe(1 + 11)
    expect(new URL(page.url()).search).toBe('?order=-name&search=guest-49')
  })
})
