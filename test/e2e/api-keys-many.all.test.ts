import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import {
  countOf,
  labelsIn,
  noSidewaysScrollInDialogs,
  openPanelOf,
  panelOf,
  rowOf,
} from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'
import { joined } from '../support/world/people.ts'

const DAY = 24 * 60 * 60 * 1000
const DEVICES = '{ devices { data { id name } } }'

const boxOf = (page: Page, label: string) => rowOf(page, label).getByRole('checkbox')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const it = inPanel()
  /** A panel with these keys, and their secrets. */
  .extend('panelWith', ({ world, portal, ada, acme }) => async (labels: string[], options: PageOptions = {}) => {
    const page = await openPanelOf(portal, ada, acme, options)
    const secrets = new Map<string, string>()
    for (const label of labels) secrets.set(label, (await acme.generateKey({ label })).secret)
    await rowOf(page, labels.at(-1) ?? '').waitFor()
    const statusOf = async (label: string) => (await world.asKey(secrets.get(label) ?? '').call(DEVICES)).status
    return { page, secrets, statusOf }
  })

type PageOptions = Parameters<typeof openPanelOf>[3]

describe('revoking many keys at once', () => {
  async function choose(page: Page, choice: string): Promise<void> {
    await button(page, 'Choose…').click()
    await page.getByRole('menuitem', { name: choice }).click()
  }

  const selectedIn = async (page: Page) => {
    const labels = await labelsIn(page)
    const states = await Promise.all(labels.map((label) => boxOf(page, label).isChecked()))
    return labels.filter((_, index) => states[index])
  }

  it('revokes exactly the selected keys, after one confirmation with the list, with one audit entry', async ({
    acme,
    panelWith,
  }) => {
    const { page, statusOf } = await panelWith(['a', 'b', 'c'])
    const sent = countOf(page, 'RevokeApiKeys')
    expect(await panelOf(page).getByRole('checkbox').count()).toBe(0)
    await button(page, 'Select').click()
    await boxOf(page, 'a').check()
    await boxOf(page, 'c').check()
    await page.getByText('2 selected').waitFor()
    await button(page, 'Revoke 2 keys').click()
    const dialog = page.getByRole('dialog', { name: 'Revoke 2 keys?' })
    const list = dialog.getByRole('list', { name: 'Keys to be revoked' }).getByRole('listitem')
    await expect.poll(async () => (await list.locator('b').allTextContents()).sort()).toEqual(['a', 'c'])
    await expect.poll(() => list.getByText('Never used').count()).toBe(2)
    expect(sent()).toBe(0)
    await dialog.getByRole('button', { name: 'Revoke 2 keys' }).dblclick()
    await page.getByText('2 keys revoked').waitFor()
    await expect.poll(() => labelsIn(page)).toEqual(['b'])
    expect(sent()).toBe(1)
    expect([await statusOf('a'), await statusOf('b'), await statusOf('c')]).toEqual([401, 200, 401])
    await expect.poll(() => panelOf(page).getByRole('checkbox').count()).toBe(0)

    const { data } = await acme.call('{ auditEvents(first: 5) { data { action subject } } }')
    const events = (data as { auditEvents: { data: { action: string }[] } }).auditEvents.data
    expect(events.filter(({ action }) => /REVOKED/.test(action)).map(({ action }) => action)).toEqual([
      'API_KEYS_REVOKED',
    ])
  })

  it('Cancel and Escape change nothing: the selection stays, and Done ends it', async ({ panelWith }) => {
    const { page, statusOf } = await panelWith(['a', 'b'])
    await button(page, 'Select').click()
    await boxOf(page, 'a').check()
    await button(page, 'Revoke 1 key').click()
    await page.getByRole('dialog', { name: 'Revoke 1 key?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Revoke 1 key?' }).waitFor({ state: 'detached' })
    expect(await panelOf(page).count()).toBe(1)
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Revoke 1 key')
    expect(await selectedIn(page)).toEqual(['a'])
    await button(page, 'Done').click()
    await expect.poll(() => panelOf(page).getByRole('checkbox').count()).toBe(0)
    expect([await statusOf('a'), await statusOf('b')]).toEqual([200, 200])
  })

  it('selects all keys, unused ones, or those created by somebody', async ({ world, acme, panelWith }) => {
    const { page, secrets } = await panelWith(['fresh', 'idle 40', 'idle 100', 'idle 200', 'old but used'])
    const grace = await joined(world, acme, 'Grace', 'ADMIN')
    await world.generateKey(grace, acme, { label: 'of Grace' })
    await world.asKey(secrets.get('old but used') ?? '').call(DEVICES)
    await expect.poll(() => rowOf(page, 'old but used').textContent()).toContain('from 127.0.0.1')
    for (const [label, days] of [
      ['idle 40', 40],
      ['idle 100', 100],
      ['idle 200', 200],
      ['old but used', 300],
    ] as const) {
      await world.database.transaction((db) =>
        db
          .updateTable('apiKey')
          .set({ createdAt: Date.now() - days * DAY })
          .where('organizationId', '=', acme.id)
          .where('label', '=', label)
          .execute(),
      )
    }
    await expect.poll(() => rowOf(page, 'idle 200').textContent()).toContain('months ago')
    await button(page, 'Select').click()
    const selects = async (choice: string, labels: string[]) => {
      await choose(page, `${choice} (${labels.length})`)
      await page.getByText(`${labels.length} selected`).waitFor()
      expect((await selectedIn(page)).sort()).toEqual(labels)
    }
    await selects('Unused for 30 days', ['idle 100', 'idle 200', 'idle 40'])
    await selects('Unused for 90 days', ['idle 100', 'idle 200'])
    await selects('Unused for 180 days', ['idle 200'])
    await selects('Created by Grace', ['of Grace'])
    await selects('All', ['fresh', 'idle 100', 'idle 200', 'idle 40', 'of Grace', 'old but used'])
    await choose(page, 'None')
    await page.getByText('None selected').waitFor()
  })

  it('if one of them was used within a day, their number has to be typed', async ({ panelWith }) => {
    const { page, statusOf } = await panelWith(['a', 'b', 'c'])
    await statusOf('b')
    await expect.poll(() => rowOf(page, 'b').textContent()).toContain('from 127.0.0.1')
    await button(page, 'Select').click()
    await choose(page, 'All')
    await button(page, 'Revoke 3 keys').click()
    const dialog = page.getByRole('dialog', { name: 'Revoke 3 keys?' })
    const confirm = dialog.getByRole('button', { name: 'Revoke 3 keys' })
    await dialog.getByText('One of them was used in the last 24 hours').waitFor()
    const marked = dialog.getByRole('listitem').filter({ hasText: 'Used in the last 24 hours' })
    expect(await marked.locator('b').allTextContents()).toEqual(['b'])
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type 3 to confirm').fill('2')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type 3 to confirm').fill('3')
    await confirm.click()
    await page.getByText('3 keys revoked').waitFor()
    await page.getByText('No keys yet').waitFor()
    expect([await statusOf('a'), await statusOf('b'), await statusOf('c')]).toEqual([401, 401, 401])
  })

  it('revokes what was confirmed: not a key that was added later, and a deleted one leaves the list', async ({
    world,
    ada,
    acme,
    panelWith,
  }) => {
    const { page } = await panelWith(['a', 'b', 'c'])
    await button(page, 'Select').click()
    await choose(page, 'All')
    await button(page, 'Revoke 3 keys').click()
    const dialog = page.getByRole('dialog', { name: /^Revoke \d keys\?$/ })
    await dialog.waitFor()
    const late = await acme.generateKey({ label: 'late' })
    await revoke(ada, acme.slug, 'a')
    await dialog.getByRole('button', { name: 'Revoke 2 keys' }).click()
    await page.getByText('2 keys revoked. 1 was already revoked.').waitFor()
    await expect.poll(() => labelsIn(page)).toEqual(['late'])
    expect((await world.asKey(late.secret).call(DEVICES)).status).toBe(200)
  })

  it('all or none: if one is gone, none is revoked, it says so, and then the rest can be revoked', async ({
    ada,
    acme,
    panelWith,
  }) => {
    const { page, statusOf } = await panelWith(['a', 'b'], { mayComplain: /net::ERR_/ })
    // Before the dialog asks for the list: an answer that is under way could come between the check and the click.
    await page.route('**/portal/graphql', (route) =>
      route.request().postData()?.includes('query ApiKeys(') ? route.abort() : route.fallback(),
    )
    await button(page, 'Select').click()
    await choose(page, 'All')
    await button(page, 'Revoke 2 keys').click()
    const dialog = page.getByRole('dialog', { name: /^Revoke \d keys?\?$/ })
    await dialog.waitFor()
    await revoke(ada, acme.slug, 'a')
    await dialog.getByRole('button', { name: 'Revoke 2 keys' }).click()
    await page.unroute('**/portal/graphql')
    await dialog.getByText('No keys were revoked because some no longer exist').waitFor()
    expect(await statusOf('b')).toBe(200)
    await dialog.getByLabel('Type 1 to confirm').fill('1') // the call before was a use of it
    await dialog.getByRole('button', { name: 'Revoke 1 key', exact: true }).click()
    await page.getByText('1 key revoked').waitFor()
    expect(await statusOf('b')).toBe(401)
  })

  it('works by keyboard', async ({ panelWith }) => {
    const { page } = await panelWith(['a', 'b'])
    await button(page, 'Select').focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Done')
    const tabTo = async (name: string) => {
      const isThere = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent')
      for (let presses = 0; presses < 20; presses++) {
        if (String(await isThere()).startsWith(name)) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Not reached by Tab: ${name}`)
    }
    await tabTo('Select b')
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
    for (const heads of ['Expires', 'Last used', 'Key']) {
      await page.keyboard.press('Shift+Tab')
      await expect.poll(() => page.locator(':focus').textContent()).toBe(heads)
    }
    await page.keyboard.press('Shift+Tab')
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Revoke 1 key')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Cancel')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => labelsIn(page)).toEqual(['a'])
    const panelHasFocus = `document.querySelector('[role=dialog]').contains(document.activeElement)`
    await expect.poll(() => page.evaluate(panelHasFocus)).toBe(true)
  })

  it('whoever presses Tab as soon as the dialog has the focus is not set back to Cancel', async ({ panelWith }) => {
    const { page } = await panelWith(['a', 'b'])
    await button(page, 'Select').click()
    await boxOf(page, 'a').check()
    await page.evaluate(`{
      const tab = ({ target }) => {
        if (target.textContent !== 'Cancel') return
        document.removeEventListener('focusin', tab)
        target.nextElementSibling.focus()
      }
      document.addEventListener('focusin', tab)
    }`)
    await button(page, 'Revoke 1 key').click()
    const focused = () => page.locator(':focus').textContent()
    await expect.poll(focused).toBe('Revoke 1 key')
    await page.getByRole('dialog', { name: 'Revoke 1 key?' }).waitFor()
    await page.evaluate('new Promise((painted) => requestAnimationFrame(() => setTimeout(painted, 100)))')
    expect(await focused()).toBe('Revoke 1 key')
    await page.keyboard.press('Enter')
    await expect.poll(() => labelsIn(page)).toEqual(['b'])
  })

  it('is accessible in both themes, and fits a phone', async ({ panelWith }) => {
    const { page, statusOf } = await panelWith(
      Array.from({ length: 10 }, (_, i) => `key ${i} ${'long '.repeat(10)}`.trim()),
    )
    await statusOf(`key 3 ${'long '.repeat(10)}`.trim())
    await button(page, 'Select').click()
    await choose(page, 'All')
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
    await button(page, 'Revoke 10 keys').click()
    await page.getByLabel('Type 10 to confirm').waitFor()
    await noSidewaysScrollInDialogs(page)
    await expectAccessible(page)
  })
})

async function revoke(
  by: { call: (query: string, variables?: object, slug?: string) => Promise<{ data: unknown }> },
  slug: string,
  label: string,
): Promise<void> {
  const { data } = await by.call('{ apiKeys { data { id label } } }', {}, slug)
  const { apiKeys } = data as { apiKeys: { data: { id: string; label: string }[] } }
  const id = apiKeys.data.find((key) => key.label === label)?.id
  await by.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id }, slug)
}
