import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { openPanelOf } from '../support/browser/api-keys-panel.ts'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, press } from '../support/browser/portal-page.ts'

const endSession = (page: Page) => page.context().request.post('/auth/sign-out', { data: {} })

const it = inPortalOrganization()

describe('a session that has expired', () => {
  it('is said at the sign-in, which leads back; nothing is said to who was not signed in', async ({
    portal,
    ada,
    acme,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/devices?search=press` })
    await heading(page, 'Devices').waitFor()
    await endSession(page)
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByText('Your session has expired. Sign in to continue where you left off.').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await press(page, 'Sign in')
    await heading(page, 'Users').waitFor()

    const stranger = await portal.open({ path: `/${acme.slug}/devices` })
    await heading(stranger, 'Sign in').waitFor()
    expect(await stranger.getByText('Your session has expired').count()).toBe(0)
  })

  it('takes nothing away that was entered: a new tab signs in, and the form is sent', async ({ portal, ada, acme }) => {
    const page = await openPanelOf(portal, ada, acme)
    await page.getByLabel('Label').fill('nightly-export')
    await endSession(page)
    await press(page, 'Generate Key')
    await page.getByText('what you entered is still on this page').waitFor()
    await page.getByRole('alert').getByText('Your session has expired. Sign in again.').waitFor()
    await expectAccessible(page)
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const tab = await opened
    await heading(tab, 'Sign in').waitFor()
    await tab.getByLabel('Email').fill(ada.email)
    await tab.getByLabel('Password', { exact: true }).fill(ada.password)
    await press(tab, 'Sign in')
    await heading(tab, 'Overview').waitFor()
    await tab.close()
    await page.getByText('what you entered is still on this page').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Label').inputValue()).toBe('nightly-export')
    await press(page, 'Generate Key')
    await page.getByLabel('Secret').waitFor()
  })
})
