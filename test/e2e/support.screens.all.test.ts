import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, WIDE } from '../support/browser/portal-page.ts'
import { fieldOf, supportStaff } from '../support/world/people.ts'
import type { TestOrganization } from '../support/world/world.ts'

const A_PAGE = 50

const it = inPortal().extend('sue', { scope: 'file' }, ({ world }) => supportStaff(world, 'Sue'))

describe('the support page', () => {
  const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('switch') })
  const switchOf = (page: Page, name: string) => page.getByRole('switch', { name: `API keys of ${name}`, exact: true })
  const isEnabled = async ({ call }: TestOrganization) =>
    fieldOf<{ apiKeysEnabled: boolean }>(await call('{ organization { apiKeysEnabled } }')).apiKeysEnabled

  it('F3: support switches on the feature of any organization at once', async ({ world, portal, ada, sue }) => {
    const globex = await world.organization('Globex', { admin: ada, apiKeys: false })
    const page = await portal.signIn(sue, { path: '/support?search=globex' })
    await switchOf(page, 'Globex').click()
    await page.getByText('API keys are switched on for Globex.').waitFor()
    expect(await switchOf(page, 'Globex').isChecked()).toBe(true)
    expect(await isEnabled(globex)).toBe(true)
  })

  it('F3, C1: switching off asks, says that the keys stay active, and Cancel changes nothing', async ({
    world,
    portal,
    ada,
    sue,
  }) => {
    const initech = await world.organization('Initech', { admin: ada })
    const key = await initech.generateKey()
    const page = await portal.signIn(sue, { path: '/support?search=initech' })
    const dialog = page.getByRole('dialog', { name: 'Switch off API keys for Initech?' })
    await page.getByText('1 key active').waitFor()

    await switchOf(page, 'Initech').click()
    await dialog.getByText('1 key stays active and keeps working').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await isEnabled(initech)).toBe(true)

    await switchOf(page, 'Initech').click()
    await dialog.getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('API keys are switched off for Initech.').waitFor()
    expect(await isEnabled(initech)).toBe(false)
    expect((await world.asKey(key.secret).call('{ devices { data { id } } }')).status).toBe(200)
  })

  it('the search is by prefix, is in the URL, and keeps the focus', async ({ world, portal, ada, sue }) => {
    await world.organization('Hooli', { admin: ada })
    await world.organization('The Hooli Fan Club', { admin: ada })
    const page = await portal.signIn(sue, { path: '/support' })
    await switchOf(page, 'The Hooli Fan Club').waitFor({ state: 'attached' })
    await page.getByLabel('Search').pressSequentially('HOO')
    await expect.poll(() => rows(page).count()).toBe(1)
    await switchOf(page, 'Hooli').waitFor({ state: 'attached' })
    await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe('HOO') // H and HO may find the same
    await page.keyboard.type('xyz')
    await page.getByRole('heading', { name: 'No results' }).waitFor()
    expect(await page.getByLabel('Search').inputValue()).toBe('HOOxyz')
  })

  it('distinguishes personal accounts and organizations, in pages', async ({ world, portal, sue }) => {
    const many = await Promise.all([world.signUp('Zed'), world.signUp('Zed the second')])
    for (const person of many) {
      for (let i = 0; i < A_PAGE / 2; i++) await world.organization('Zed Works', { admin: person, apiKeys: false })
    }
    const page = await portal.signIn(sue, { path: '/support?search=zed', ...WIDE })
    await expect.poll(() => rows(page).count()).toBe(A_PAGE)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows(page).count()).toBe(A_PAGE + 2)
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    expect(await page.getByRole('cell', { name: 'Personal account', exact: true }).count()).toBe(2)
  })

  it('F3: for everybody else the page does not exist, and has no link', async ({ portal, ada }) => {
    const page = await portal.signIn(ada, { path: '/support' })
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    expect(await page.getByRole('link', { name: 'Support' }).count()).toBe(0)
    expect(await page.getByRole('switch').count()).toBe(0)
    await expectAccessible(page)
  })

  it('is accessible, page and dialog, however long the name is', async ({ world, portal, ada, sue }) => {
    const name = `Umbrella ${'w'.repeat(60)}`
    await world.organization(name, { admin: ada })
    const page = await portal.signIn(sue, { path: '/support?search=umbrella' })
    await switchOf(page, name).waitFor({ state: 'attached' })
    await expectAccessible(page)
    await switchOf(page, name).click()
    await page.getByRole('dialog').getByText('There are no active keys.').waitFor()
    await expectAccessible(page)
  })
})
