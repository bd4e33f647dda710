import { expect } from 'vitest'
import { inBigPortal } from '../support/browser/big-portal.ts'
import { longestTask } from '../support/browser/longest-task.ts'
import { WIDE } from '../support/browser/portal-page.ts'

/** It takes some 50 ms of a usual core, and as much more of a slow or busy one as the tasks that it is compared with. */
const LONG_TASK = `{
  const table = document.createElement('table')
  for (let row = 0; row < 700; row++) {
    const cells = table.insertRow()
    for (let cell = 0; cell < 5; cell++) cells.insertCell().textContent = 'row ' + row + ', cell ' + cell
  }
  document.body.append(table)
  table.offsetHeight
  table.remove()
}`

const it = inBigPortal()
  /** Does something in a list, and holds that no task of the page is as long as the long one. */
  .extend('open', ({ portal, ada, big }) => async (path: string, words: string) => {
    const page = await portal.signIn(ada, { ...WIDE, path: `/${big.slug}/${path}` })
    await page.getByText(words).first().waitFor()
    await page.waitForLoadState('networkidle')
    return async (action: string, until: string) => {
      const long = await longestTask(page, LONG_TASK)
      const longest = await longestTask(page, action, until)
      expect(longest, `${action}: ms of the CPU for one task`).toBeLessThan(long)
    }
  })

/** A long task of the page is there at every try; one that a busy machine has made is not. */
const TRIES = { retry: 2 }

it('5,000 devices are scrolled, paged, sorted and filtered without a long task', TRIES, async ({ open }) => {
  const during = await open('devices', '5,000 devices')
  await during(`scrollBy(0, 1000)`, `scrollY >= 1000`)
  for (const number of [2, 3, 4]) await during(`press('Next')`, `shows('Page ${number}')`)
  await during(`press('Last seen')`, `shows('5,000 devices')`)
  await during(`fill('Search', 'edge-00012')`, `shows('devices match')`)
  await during(`fill('Search', '')`, `shows('5,000 devices')`)
  await during(`fill('Status', 'ONLINE')`, `shows('devices match')`)
})

it('1,001 people are scrolled, paged, sorted and searched without a long task', TRIES, async ({ open }) => {
  const during = await open('users', '1,001 people')
  await during(`scrollBy(0, 400)`, `scrollY >= 400`)
  for (let from = 26; from <= 526; from += 25) await during(`press('Next')`, `shows('${from}–')`)
  await during(`press('Name')`, `shows('1–25')`)
  await during(`fill('Search', 'guest-1')`, `shows('111 people')`)
  await during(`fill('Search', '')`, `shows('1,001 people')`)
})

it('100 keys are scrolled, paged, sorted and filtered without a long task', TRIES, async ({ open }) => {
  const during = await open('api-keys', '1–25 of 100')
  await during(`scrollBy(0, 400)`, `scrollY >= 400`)
  for (const from of [26, 51, 76]) await during(`press('Next')`, `shows('${from}–')`)
  await during(`fill('Sort', 'label')`, `shows('1–25')`)
  await during(`fill('Search', 'script 9')`, `main.querySelectorAll('tr').length === 12`)
  await during(`fill('Search', '')`, `shows('1–25 of 100')`)
  await during(`fill('Status', 'unused')`, `shows('No matching keys')`)
  await during(`fill('Status', '')`, `shows('1–25 of 100')`)
})
