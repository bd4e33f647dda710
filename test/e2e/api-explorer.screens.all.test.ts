import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE, WIDE } from '../support/browser/portal-page.ts'
import { fleetOf } from '../support/world/fleet.ts'

const it = inPortalOrganization().extend('explorer', async ({ acme }) => {
  await fleetOf(acme).add({ name: 'press-7' })
  return `/${acme.slug}/api/explorer`
})

const response = (page: Page) => page.locator('.graphiql-response')

/** Its editor is there, and with it what the buttons do. */
const ready = (page: Page) => page.getByRole('textbox', { name: 'Operation' }).waitFor({ state: 'attached' })

/** In the place of what is there. */
async function write(page: Page, operation: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Operation' }).focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(operation)
}

const scripts = (page: Page) =>
  page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)') as Promise<string[]>

describe('the explorer', () => {
  it('is loaded when it is opened, and runs as the person: devices at first', async ({
    portal,
    ada,
    acme,
    explorer,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/api`, ...WIDE })
    const link = page.getByRole('navigation', { name: 'API' }).getByRole('link', { name: 'Explorer' })
    await link.hover()
    await page.waitForLoadState('networkidle')
    expect((await scripts(page)).filter((name) => /Explorer|codemirror/i.test(name))).toEqual([])
    await link.click()
    await page.waitForURL(`**${explorer}`)
    await expect.poll(() => page.title()).toBe('API explorer · Acme · Edge Management Portal')
    await ready(page)
    await page.getByRole('button', { name: /^Execute/ }).click()
    await response(page).getByText('"press-7"').waitFor()
    expect((await scripts(page)).filter((name) => /Explorer|codemirror/i.test(name)).length).toBeGreaterThan(0)
    await expectAccessible(page)
    expect(await page.getByRole('button', { name: 'Open settings dialog' }).count(), 'nothing is stored').toBe(0)
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByRole('link', { name: 'Query', exact: true }).waitFor()
    await expectAccessible(page)
  })

  it('is used by keyboard alone, and left by Tab', async ({ portal, ada, explorer }) => {
    const page = await portal.signIn(ada, { path: explorer, ...WIDE })
    const operation = page.getByRole('textbox', { name: 'Operation' })
    await ready(page)
    await write(page, 'mutation { createDevice(input: { name: "by keyboard" }) { name } }')
    await page.keyboard.press('Control+Enter')
    await response(page).getByText('"by keyboard"').waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => operation.and(page.locator(':focus')).count()).toBe(0)
    expect(await page.locator('.graphiql-query-editor').getByText('by keyboard').count()).toBe(1)
  })

  it('has the operation above its result on a phone', async ({ portal, ada, explorer }) => {
    const page = await portal.signIn(ada, { path: explorer, viewport: PHONE })
    await ready(page)
    await page.getByRole('button', { name: /^Execute/ }).click()
    await response(page).getByText('"press-7"').waitFor()
    const topOf = async (part: string) => (await page.locator(part).boundingBox())?.y ?? 0
    expect(await topOf('.graphiql-response')).toBeGreaterThan(await topOf('.graphiql-query-editor'))
    await expectAccessible(page)
  })

  it('shows what a Member is refused', async ({ portal, bob, explorer }) => {
    const page = await portal.signIn(bob, { path: explorer })
    await ready(page)
    await write(page, '{ auditEvents { data { id } } }')
    await page.keyboard.press('Control+Enter')
    await response(page).getByText('"FORBIDDEN"').waitFor()
  })

  it('K1: runs with a pasted key, and stores it nowhere', async ({ portal, ada, acme, explorer }) => {
    const { secret } = await acme.generateKey({ label: 'ci' })
    const page = await portal.signIn(ada, { path: explorer })
    const calls: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes('whoami')) calls.push(request.headers()['api-secret'])
    })
    await ready(page)
    await page.getByText('An API key', { exact: true }).click()
    await write(page, `query whoami { viewer { apiKey { label } } } # ${secret}`)
    await page.keyboard.press('Control+Enter')
    const field = page.getByLabel('API key', { exact: true })
    await page.getByText('Paste an API key first.', { exact: true }).waitFor()
    await expect.poll(() => field.and(page.locator(':focus')).count()).toBe(1)
    expect(calls, 'nothing is sent without a key').toEqual([])
    await field.fill(secret)
    await page.getByRole('button', { name: /^Execute/ }).click()
    await response(page).getByText('"ci"').waitFor()
    expect(calls).toEqual([secret])
    await expectAccessible(page)
    await page.getByRole('button', { name: 'New tab' }).click()

    const state = await page.context().storageState({ indexedDB: true })
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state, document.cookie, name])',
    )
    expect(`${kept} ${JSON.stringify(state)}`).not.toContain(secret)

    await page.getByRole('link', { name: 'Get started' }).click()
    await page.getByRole('textbox', { name: 'Endpoint' }).waitFor()
    await page.goBack()
    await page.getByText('With your session and your rights').waitFor()
    await page.getByText('An API key', { exact: true }).click()
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).toBe('')
    expect(await page.content()).not.toContain(secret)
  })
})
