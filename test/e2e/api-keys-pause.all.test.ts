import { describe, expect } from 'vitest'
import {
  askToRevoke,
  callAs,
  chooseFor,
  expiredKey,
  labelsIn,
  noSidewaysScrollInDialogs,
  openPanelOf,
  rowOf,
} from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'

const ROLE = '{ viewer { role } }'
const FLUSHED = { timeout: 20_000 }

const it = inPanel()

describe('pausing a key', () => {
  it('C15: a paused key is refused, its row shows until when and who was refused, and it can be resumed', async ({
    portal,
    acme,
    page,
  }) => {
    const { secret } = await acme.generateKey({ label: 'ci' })
    await acme.generateKey({ label: 'other' })
    await chooseFor(page, 'ci', 'Pause for 15 minutes')
    await page.getByText('“ci” is paused for 15 minutes. Calls with it are refused.').waitFor()
    await rowOf(page, 'ci')
      .getByText(/^Paused, resumes in 1[45] minutes$/)
      .waitFor()
    await rowOf(page, 'ci').getByText('No calls refused yet.').waitFor()
    const refused = await callAs(portal, 'nightly/2.1', secret, ROLE)
    expect([refused.status, refused.errors[0]?.code]).toEqual([403, 'API_KEY_PAUSED'])
    await rowOf(page, 'ci')
      .getByText(/Paused .*by Ada.*1 call was refused since, .* from 127\.0\.0\.1, by nightly/)
      .waitFor(FLUSHED)

    await page.getByLabel('Status').selectOption('paused')
    await expect.poll(() => labelsIn(page)).toEqual(['ci'])
    await expectAccessible(page)
    await chooseFor(page, 'ci', 'Resume')
    await page.getByText('“ci” is resumed. Calls with it are accepted again.').waitFor()
    await page.getByText('No matching keys').waitFor()
    expect((await callAs(portal, 'nightly/2.1', secret, ROLE)).status).toBe(200)
  })

  it('C15: until resumed, when that is chosen; an expired key is not paused', async ({ portal, ada, acme, page }) => {
    await acme.generateKey({ label: 'ci' })
    await chooseFor(page, 'ci', 'Pause until resumed')
    await rowOf(page, 'ci').getByText('Paused', { exact: true }).waitFor()
    await expiredKey(portal, ada, acme, 'over')
    await rowOf(page, 'over').getByText('Expired', { exact: true }).waitFor()
    await rowOf(page, 'over').getByRole('button', { name: 'Actions for over' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    expect(await page.getByRole('menuitem', { name: /Pause/ }).count()).toBe(0)
  })

  it('C15: the dialog that revokes a used key offers to pause it instead, below the label to be typed', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const page = await openPanelOf(portal, ada, acme, { mayComplain: /net::ERR_/ })
    const { secret } = await acme.generateKey({ label: 'ci' })
    await acme.generateKey({ label: 'idle' })
    await world.asKey(secret).call(ROLE)
    await rowOf(page, 'ci').getByText('from 127.0.0.1').waitFor()
    await askToRevoke(page, 'ci')
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
    const typed = dialog.getByLabel('Type “ci” to confirm')
    const pause = dialog.getByRole('button', { name: 'Pause instead' })
    const [field, button] = [await typed.boundingBox(), await pause.boundingBox()]
    expect(button?.y).toBeGreaterThan((field?.y ?? 0) + (field?.height ?? 0))
    await typed.fill('c')
    await dialog.getByLabel('Reason').fill('in doubt')
    await dialog.getByLabel('Pause', { exact: true }).selectOption('Pause for 1 hour')
    await page.route('**/portal/graphql', (route) => route.abort())
    await pause.click()
    await dialog.getByText('Can’t reach the portal').waitFor()
    expect([await typed.inputValue(), await dialog.getByLabel('Reason').inputValue()]).toEqual(['c', 'in doubt'])
    await page.unroute('**/portal/graphql')
    await pause.click()
    await page.getByText('“ci” is paused for 1 hour, not revoked').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await rowOf(page, 'ci')
      .getByText(/^Paused, resumes in (1 hour|59 minutes)$/)
      .waitFor()
    expect((await world.asKey(secret).call(ROLE)).status).toBe(403)
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Actions for ci')

    await askToRevoke(page, 'ci')
    await dialog.getByText(/Paused .*by Ada/).waitFor()
    expect(await pause.count()).toBe(0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await askToRevoke(page, 'idle')
    await dialog.getByText('No calls in the last 24 hours').waitFor()
    expect(await pause.count()).toBe(0)
  })

  it('is accessible in both themes, and fits a phone', async ({ world, acme, page }) => {
    const label = `ci ${'long '.repeat(12)}`.trim()
    const { secret } = await acme.generateKey({ label })
    await world.asKey(secret).call(ROLE)
    await askToRevoke(page, label)
    await page.getByRole('button', { name: 'Pause instead' }).waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
    await page.getByRole('button', { name: 'Pause instead' }).click()
    await rowOf(page, label)
      .getByText(/Paused .*by Ada/)
      .waitFor()
    await noSidewaysScrollInDialogs(page)
  })
})
