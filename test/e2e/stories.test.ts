import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { callAs } from '../support/browser/api-keys-panel.ts'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { heading, type Portal, press } from '../support/browser/portal-page.ts'
import type { Person } from '../support/world/world.ts'

const run = promisify(execFile)

const COPIES = { permissions: ['clipboard-read', 'clipboard-write'] }
const FROM_ZERO = 'window.done = { clicks: 0, keys: 0 }'
const COUNT = `${FROM_ZERO}
addEventListener('pointerdown', () => done.clicks++, true)
addEventListener('keydown', () => done.keys++, true)`

/** The overview of an organization, on which what somebody does from now on is counted. */
async function overviewOf(portal: Portal, by: Person, { slug }: { slug: string }): Promise<Page> {
  const page = await portal.signIn(by, { path: `/${slug}/overview`, ...COPIES })
  await heading(page, 'Overview').waitFor()
  await page.waitForLoadState('networkidle')
  await page.evaluate(COUNT)
  return page
}

const done = (page: Page, what: 'clicks' | 'keys') => page.evaluate(`done.${what}`)
const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>
const toKeys = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys' }).click()

const it = inPortalOrganization()

describe('how much it takes', () => {
  it('the first call of a new organization: 2 clicks and a paste', async ({ world, portal, ada }) => {
    const page = await overviewOf(portal, ada, await world.organization('Fresh', { admin: ada, apiKeys: false }))
    await page.getByText('This key can do everything an Admin can.').waitFor()
    await press(page, 'Switch on and generate key')
    await press(page, 'Copy curl')
    await expect.poll(() => clipboard(page)).toContain('curl')
    expect(await done(page, 'clicks')).toBe(2)
    const { stdout } = await run('sh', ['-c', await clipboard(page)])
    expect(JSON.parse(stdout)).toEqual({ data: { devices: { data: [] } } })
    await page.getByText('First call received').waitFor()
  })

  it('a key whose secret is copied: 3 clicks', async ({ world, portal, ada, acme }) => {
    const page = await overviewOf(portal, ada, acme)
    await toKeys(page)
    await press(page, 'Generate Key')
    await press(page, 'Copy secret')
    await expect.poll(() => clipboard(page)).toContain('emp_')
    expect(await done(page, 'clicks')).toBe(3)
    expect(await world.accepts(await clipboard(page))).toBe(true)
  })

  it('the key that a script uses, by address, user agent, operation or secret: 1 click', async ({
    portal,
    ada,
    acme,
  }) => {
    const { secret } = await acme.generateKey({ label: 'nightly' })
    await acme.generateKey({ label: 'another' })
    await callAs(portal, 'edge-agent/2.1', secret, 'query Inventory { viewer { role } }')
    const isUsed = async () =>
      JSON.stringify((await acme.call('{ apiKeys { data { lastUsedUserAgent } } }')).data).includes('edge-agent')
    await expect.poll(isUsed).toBe(true)
    const page = await overviewOf(portal, ada, acme)
    const field = page.getByRole('combobox', { name: 'Search Acme' })
    await page.getByRole('button', { name: 'Jump to' }).click()
    for (const text of ['127.0.0.1', 'edge-agent', 'inventory', secret]) {
      await field.fill(text)
      await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([expect.stringContaining('nightly')])
    }
    expect(await done(page, 'clicks')).toBe(1)

    await page.keyboard.press('Escape')
    await toKeys(page)
    await page.evaluate(FROM_ZERO)
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.click()
    for (const text of ['127.0.0.1', 'edge-agent', 'inventory']) {
      await search.fill(text)
      await expect.poll(() => page.getByRole('rowheader').getByRole('link').allInnerTexts()).toEqual(['nightly'])
    }
    await search.fill(secret)
    await page.getByText('This is the secret of nightly').waitFor()
    expect(await done(page, 'clicks')).toBe(1)
  })

  it('the revoke of an idle key: 3 clicks; of a used one: 3 and its label', async ({ world, portal, ada, acme }) => {
    const idle = await acme.generateKey({ label: 'idle' })
    const used = await acme.generateKey({ label: 'used' })
    expect(await world.accepts(used.secret)).toBe(true)
    for (const { label, secret } of [idle, used]) {
      const page = await overviewOf(portal, ada, acme)
      await toKeys(page)
      await page.getByRole('row', { name: label }).getByRole('button', { name: 'Revoke', exact: true }).click()
      const confirm = page.getByRole('button', { name: 'Revoke this key' })
      await confirm.waitFor()
      if (label === 'used') await page.keyboard.type(label)
      await confirm.click()
      await page.getByText(`“${label}” was revoked`).waitFor()
      expect(await done(page, 'clicks')).toBe(3)
      expect(await world.accepts(secret)).toBe(false)
    }
  })
})

describe('how much it takes by keyboard alone', () => {
  const isOn = (page: Page, name: string) =>
    expect
      .poll(() => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'))
      .toBe(name)

  it('a key whose secret is copied: 14 keystrokes, by Tab', async ({ world, portal, ada, acme }) => {
    const page = await overviewOf(portal, ada, acme)
    while ((await page.evaluate('document.activeElement.textContent')) !== 'Keys') await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await isOn(page, 'API Keys')
    await page.getByRole('button', { name: 'Generate Key' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter') // in the field of the label
    await isOn(page, 'Copy secret')
    await page.keyboard.press('Enter')
    await expect.poll(() => clipboard(page)).toContain('emp_')
    expect(await done(page, 'keys')).toBeLessThanOrEqual(14)
    expect(await world.accepts(await clipboard(page))).toBe(true)
  })

  it('a key whose secret is copied: 8 keystrokes, by Jump', async ({ world, portal, ada, acme }) => {
    const page = await overviewOf(portal, ada, acme)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search Acme' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('gen')
    await page.getByRole('option', { name: 'Generate key' }).waitFor()
    await page.keyboard.press('Enter')
    await isOn(page, 'Generate Key')
    await page.keyboard.press('Enter')
    await isOn(page, 'Copy secret')
    await page.keyboard.press('Enter')
    await expect.poll(() => clipboard(page)).toContain('emp_')
    expect(await done(page, 'keys')).toBeLessThanOrEqual(8)
    expect(await world.accepts(await clipboard(page))).toBe(true)
  })
})
