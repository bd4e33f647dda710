import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import {
  callAs,
  chooseFor,
  countOf,
  noSidewaysScrollInDialogs,
  openPanelOf,
  panelOf,
  rowOf,
  withoutViewer,
} from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'

const ROLE = '{ viewer { role } }'
const FLUSHED = { timeout: 20_000 }

const askToRotate = (page: Page, label: string) => chooseFor(page, label, 'Rotate')
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Rotate this key?' })
const secretIn = (page: Page) => page.getByLabel('Secret', { exact: true })
const rotateButton = (page: Page) => page.getByRole('button', { name: 'Rotate key' })

const it = inPanel()

describe('Rotate', () => {
  it('shows the new secret once; for a day both work, and the list shows which is still used and from where', async ({
    portal,
    acme,
    page,
  }) => {
    const old = await acme.generateKey({ label: 'ci' })
    await askToRotate(page, 'ci')
    await dialogOf(page).getByText('The old secret works for 1 more day').waitFor()
    await rotateButton(page).click()
    const secret = await secretIn(page).inputValue()
    expect(secret).toMatch(/^emp_[0-9A-Za-z]{49}$/)
    await page.getByText('The old secret works for 1 more day').waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(secret).not.toBe(old.secret)

    const replaced = rowOf(page, 'ci').filter({ hasText: /Replaced: expires (tomorrow|in 23 hours)/ })
    await replaced.getByText('Not used since it was replaced. The new one has not been used yet.').waitFor()
    expect(await rowOf(page, 'ci').count()).toBe(2)
    expect(await rowOf(page, 'ci').last().textContent()).toContain('Replaced') // below the one in its place
    await replaced.getByRole('button', { name: 'Actions for ci' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Rotate' }).count()).toBe(0)
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Rename')
    await replaced.getByRole('button', { name: 'Actions for ci', includeHidden: true }).focus() // where it was a moment ago
    await page.keyboard.press('Escape')
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor({ state: 'detached' })
    await panelOf(page).waitFor()

    expect((await callAs(portal, 'old-cron/1', old.secret, ROLE)).status).toBe(200)
    await replaced.getByText(/Still used: .* from 127\.0\.0\.1 by old-cron/).waitFor(FLUSHED)
    expect((await callAs(portal, 'new-cron/1', secret, ROLE)).status).toBe(200)
    await replaced.getByText(/The new one was used .* from 127\.0\.0\.1 by new-cron/).waitFor(FLUSHED)
  })

  it('at once: the old secret is refused, and its row is gone', async ({ world, acme, page }) => {
    const old = await acme.generateKey({ label: 'ci' })
    await askToRotate(page, 'ci')
    await page.getByLabel('Expiration of the old secret').selectOption('Immediately')
    await dialogOf(page).getByText('Calls with the old secret are refused at once').waitFor()
    await rotateButton(page).click()
    const secret = await secretIn(page).inputValue()
    expect((await world.asKey(old.secret).call(ROLE)).status).toBe(401)
    expect((await world.asKey(secret).call(ROLE)).status).toBe(200)
    await page.getByText('The old secret no longer works').waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await rowOf(page, 'ci')
      .getByText(`${secret.slice(0, 10)}…`)
      .waitFor()
    await expect.poll(() => rowOf(page, 'ci').count()).toBe(1)
  })

  it.for<[string, RegExp]>([
    ['1 hour', /Replaced: expires in (1 hour|59 minutes)/],
    ['7 days', /Replaced: expires in [76] days/],
  ])('the old secret works for %s if that is chosen', async ([choice, message], { acme, page }) => {
    await acme.generateKey({ label: 'ci' })
    await askToRotate(page, 'ci')
    await page.getByLabel('Expiration of the old secret').selectOption(`In ${choice}`)
    await rotateButton(page).click()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await rowOf(page, 'ci').filter({ hasText: message }).waitFor()
  })

  it('nothing happens until Rotate key is pressed, and then once; the focus returns to where it was', async ({
    acme,
    page,
  }) => {
    await acme.generateKey({ label: 'ci' })
    const sent = countOf(page, 'RotateApiKey')
    await askToRotate(page, 'ci')
    await rotateButton(page).waitFor()
    await page.keyboard.press('Escape')
    await dialogOf(page).waitFor({ state: 'detached' })
    expect(await panelOf(page).count()).toBe(1)
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Actions for ci')
    expect(sent()).toBe(0)
    await askToRotate(page, 'ci')
    await rotateButton(page).dblclick()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await expect.poll(() => rowOf(page, 'ci').count()).toBe(2)
    expect(sent()).toBe(1)
  })

  it('shows in the dialog why it is refused: switched off, already replaced, two active keys; a retry succeeds', async ({
    portal,
    ada,
    acme,
  }) => {
    const page = await openPanelOf(portal, ada, acme, { mayComplain: /net::ERR_/ })
    const { id } = await acme.generateKey({ label: 'ci' })
    await askToRotate(page, 'ci')
    await withoutViewer(page) // the viewer would close the panel while the feature is off
    const refusal = async (words: string) => {
      await rotateButton(page).click()
      await dialogOf(page).getByText(words).waitFor()
      expect(await secretIn(page).count()).toBe(0)
    }
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    await refusal('API keys are switched off')
    await acme.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
    await acme.call('mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }', { id })
    await refusal('This key has been replaced already')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await rowOf(page, 'ci')
      .getByText(/^Replaced: /)
      .waitFor()
    await askToRotate(page, 'ci')
    await refusal('at most two keys of one rotation chain')
    await page.getByLabel('Expiration of the old secret').selectOption('Immediately')
    await rotateButton(page).click()
    await secretIn(page).waitFor()
  })

  it('is accessible in both themes, and fits a phone', async ({ acme, page }) => {
    await acme.generateKey({ label: `ci${' long'.repeat(10)}` })
    await askToRotate(page, `ci${' long'.repeat(10)}`)
    await rotateButton(page).waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
    await rotateButton(page).click()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('Not used since it was replaced').waitFor()
    await noSidewaysScrollInDialogs(page)
    await expectAccessible(page)
  })
})
