import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading } from '../support/browser/portal-page.ts'
import { fleetOf } from '../support/world/fleet.ts'
import { joined } from '../support/world/people.ts'

const it = inPortal()
  .extend('devices', { scope: 'file' }, ({ acme }) => `/${acme.slug}/devices`)
  .extend('press', { scope: 'file' }, ({ acme }) => fleetOf(acme).add({ name: 'Press-7' }))
  .extend('deploy', { scope: 'file' }, ({ acme }) => acme.generateKey({ label: 'Press deploy' }))
  .extend('bob', { scope: 'file' }, ({ world, acme }) => joined(world, acme, 'Pressley', 'MEMBER'))

const field = (page: Page) => page.getByRole('combobox', { name: 'Search Acme' })
const results = (page: Page) => page.getByRole('listbox', { name: 'Results' })
const options = (page: Page) => results(page).getByRole('option').allInnerTexts()

async function jump(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(text)
}

describe('Jump', () => {
  it('opens with Ctrl K or its button, and leads to a page by the first letters of its words', async ({
    portal,
    ada,
    devices,
  }) => {
    const page = await portal.signIn(ada, { path: devices })
    await heading(page, 'Devices').waitFor()
    await page.getByRole('button', { name: 'Jump to' }).click()
    await expect.poll(() => options(page)).toEqual(expect.arrayContaining(['Overview', 'Keys', 'Add device']))
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Jump to' }).and(page.locator(':focus')).waitFor()

    await jump(page, 'a re')
    await expect.poll(() => options(page)).toEqual(['API reference'])
    await page.keyboard.press('Enter')
    await heading(page, 'API reference').waitFor()
  })

  it('finds devices, keys and people by a part of their name, and goes through them by arrow keys', async ({
    portal,
    ada,
    devices,
    press: _,
    deploy,
    bob,
  }) => {
    const page = await portal.signIn(ada, { path: devices })
    await heading(page, 'Devices').waitFor()
    await jump(page, 'press')
    await expect
      .poll(async () => (await options(page)).map((option) => option.split('\n')[0]))
      .toEqual(['Press-7', deploy.label, bob.name])
    await expectAccessible(page)
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => results(page).getByRole('option', { selected: true }).innerText()).toContain(bob.email)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await heading(page, deploy.label).waitFor()

    await jump(page, 'pressl')
    await results(page).getByRole('option', { name: bob.name }).click()
    await heading(page, 'Users').waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
  })

  it('finds a device by its id and a key by its id or its secret, which gets into no address', async ({
    portal,
    ada,
    acme,
    devices,
    press,
    deploy,
  }) => {
    const page = await portal.signIn(ada, { path: devices })
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await heading(page, 'Devices').waitFor()
    for (const [text, name] of [
      [press, 'Press-7'],
      [deploy.id, deploy.label],
      [deploy.secret, deploy.label],
    ] as const) {
      await jump(page, text)
      await results(page).getByRole('option', { name }).waitFor()
      await page.keyboard.press('Enter')
      await heading(page, name).waitFor()
    }
    expect(addresses.join(' ')).not.toContain(deploy.secret.slice(0, 20))

    const other = await acme.generateKey()
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: other.id })
    await jump(page, other.secret)
    await page.getByText('No active key of Acme has this secret.').waitFor()
    await field(page).fill(deploy.secret)
    await results(page).getByRole('option', { name: deploy.label }).waitFor()
  })

  it('keeps the focus when the page below arrives late', async ({ portal, ada, devices }) => {
    const page = await portal.signIn(ada, { path: devices })
    await heading(page, 'Devices').waitFor()
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    await page.route('**/portal/graphql', async (route) => {
      await arrived
      await route.continue()
    })
    await jump(page, 'audit')
    await page.keyboard.press('Enter')
    await field(page).waitFor({ state: 'detached' })
    await jump(page, 'a re')
    arrive()
    await page.getByRole('heading', { name: 'Audit', exact: true, level: 1, includeHidden: true }).waitFor()
    await page.keyboard.type('f')
    await expect.poll(() => options(page)).toEqual(['API reference'])
    expect(await field(page).inputValue()).toBe('a ref')
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('starts what an Admin does often, and lists the keys of the keyboard', async ({ portal, ada, devices }) => {
    const page = await portal.signIn(ada, { path: devices })
    await heading(page, 'Devices').waitFor()
    await jump(page, 'add')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Add device' }).waitFor()
    await page.keyboard.type('press ?')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('press ?')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('/ goes to the search of the page', async ({ portal, ada, devices, press: _ }) => {
    const page = await portal.signIn(ada, { path: devices })
    await heading(page, 'Devices').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('no such/')
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('no such/')
  })

  it('shows a Member no key and nothing that only an Admin may do', async ({
    portal,
    bob,
    devices,
    deploy,
    press: _,
  }) => {
    const page = await portal.signIn(bob, { path: devices })
    await heading(page, 'Devices').waitFor()
    await jump(page, '')
    await results(page).getByRole('option', { name: 'Overview' }).waitFor()
    const offered = await options(page)
    for (const hidden of ['Keys', 'Audit', 'Webhooks', 'Add device', 'Invite user'])
      expect(offered).not.toContain(hidden)
    await page.keyboard.type('press')
    await results(page).getByRole('option', { name: 'Press-7' }).waitFor()
    expect((await options(page)).join()).not.toContain(deploy.label)
  })
})
