import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { WEB_ROUTES } from '../../server/http/web-routes.ts'
import { chooseFor, panelOf } from '../support/browser/api-keys-panel.ts'
import { busyAccounts, shown } from '../support/browser/first-visit.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { press } from '../support/browser/portal-page.ts'
import { fleetOf } from '../support/world/fleet.ts'
import { supportStaff } from '../support/world/people.ts'

const it = inPortal()
  .extend('ada', { scope: 'file' }, ({ world }) => supportStaff(world, 'Ada'))
  .extend('accounts', { scope: 'file' }, ({ world, ada }) => busyAccounts(world, ada))

/** The words of the buttons that stand out: on the page, or in the dialog above it. */
const primaryButtons = (page: Page) =>
  page.locator('main, [role=dialog]').last().locator(':is(button, a)[data-variant=filled]').allInnerTexts()

describe('one button of a view is the primary one', () => {
  it.for(WEB_ROUTES)('%s', async (route, { portal, ada, accounts }) => {
    const page = await portal.signIn(ada, { path: accounts.pathOf(route) })
    await shown(page)
    expect((await primaryButtons(page)).length).toBeLessThanOrEqual(1)
  })

  it('of a new organization: that of the next step', async ({ portal, ada }) => {
    const fresh = await portal.world.organization('Fresh', { admin: ada, apiKeys: false })
    const page = await portal.signIn(ada, { path: `/${fresh.slug}/overview` })
    await page.getByText('0 of 5 done').waitFor()
    expect(await primaryButtons(page)).toEqual(['Switch on and generate key'])
    await press(page, 'Switch on API keys')
    await page.getByText('1 of 5 done').waitFor()
    expect(await primaryButtons(page)).toEqual(['Generate Key'])
    await fresh.generateKey({ label: 'ci' })
    await page.reload()
    await page.getByText('2 of 5 done').waitFor()
    expect(await primaryButtons(page)).toEqual(['Add device'])
    await ada.call('mutation { setApiKeysEnabled(enabled: false) { id } }', {}, fresh.slug)
    await page.reload()
    await page.getByText('API keys are off').waitFor()
    expect(await primaryButtons(page)).toEqual(['Add device'])
    await fleetOf(fresh).add({ name: 'press-1' })
    await page.reload()
    await page.getByText('3 of 5 done').waitFor()
    expect(await primaryButtons(page)).toEqual([])
    await press(page, 'Dismiss checklist')
    expect(await primaryButtons(page)).toEqual(['Switch on API keys'])
  })

  it('in the API Keys panel: that which generates, also while keys are renamed or selected', async ({
    portal,
    ada,
    accounts,
  }) => {
    const page = await portal.signIn(ada, { path: accounts.pathOf('/$slug/users/api-keys') })
    await shown(page)
    await chooseFor(page, 'ci', 'Rename')
    await page.getByLabel('New label for ci').waitFor()
    await press(page, 'Select')
    await panelOf(page).getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'Revoke 1 key' }).waitFor()
    expect(await primaryButtons(page)).toEqual(['Generate Key'])
  })
})
