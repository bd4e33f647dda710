import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { linkIn } from '../support/browser/mail-portal.ts'
import { inMailPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, goOffline, goOnline, heading } from '../support/browser/portal-page.ts'

const NEW_PASSWORD = 'another long passphrase'

const email = (page: Page) => page.getByRole('textbox', { name: 'Email' })
const ask = (page: Page) => page.getByRole('button', { name: 'Send reset link' }).click()
const answer = (page: Page) => page.getByRole('status').getByText('If there is an account')

const it = inMailPortal()

describe('a forgotten password, if the portal sends email', () => {
  it('is reset from the sign-in page through an email, and the old one is refused', async ({ portal, ada }) => {
    const page = await portal.open({ path: '/sign-in' })
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await heading(page, 'Forgot your password?').waitFor()
    await expectAccessible(page)
    await email(page).fill(ada.email)
    await page.keyboard.press('Enter')
    await answer(page).waitFor()
    await page.getByText('expires in 30 minutes').waitFor()
    await expectAccessible(page)

    await expect.poll(() => portal.emailsTo(ada.email).length, { timeout: 15_000 }).toBe(1)
    await page.goto(linkIn(portal.emailsTo(ada.email)[0] ?? { text: '' }))
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await heading(page, 'Overview').waitFor()
    const signIn = (password: string) => portal.world.post('/auth/sign-in', { email: ada.email, password })
    expect((await signIn(ada.password)).status).not.toBe(200)
    expect((await signIn(NEW_PASSWORD)).status).toBe(200)
  })

  it('gives the same answer for an unknown address, and sends nothing', async ({ portal, bob }) => {
    const words: string[] = []
    for (const address of ['nobody@example.com', bob.email]) {
      const page = await portal.open({ path: '/forgot-password' })
      await email(page).fill(address)
      await ask(page)
      await answer(page).waitFor()
      words.push((await page.locator('main').innerText()).replace(address, ''))
    }
    expect(words[0]).toBe(words[1])
    await expect.poll(() => portal.emailsTo(bob.email).length, { timeout: 15_000 }).toBe(1)
    expect(portal.emailsTo('nobody@example.com')).toEqual([])
  })

  it('refuses an invalid address at its field, and reports a lost connection; what was typed is kept', async ({
    portal,
  }) => {
    const page = await portal.open({ path: '/forgot-password', mayComplain: /ERR_INTERNET_DISCONNECTED/ })
    await ask(page)
    await page.getByText('This field is required.').waitFor()
    await email(page).fill('not an address')
    await ask(page)
    await expect.poll(() => email(page).getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await email(page).fill('cleo@example.com')
    await goOffline(page)
    await ask(page)
    await page.getByRole('alert').getByText('Can’t reach the portal').waitFor()
    expect(await email(page).inputValue()).toBe('cleo@example.com')
    await goOnline(page)
    await ask(page)
    await answer(page).waitFor()
  })

  it('a link that does not work leads to a new one', async ({ portal }) => {
    const page = await portal.open({ path: '/reset-password#none' })
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await heading(page, 'This link has expired').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Request a new link' }).click()
    await heading(page, 'Forgot your password?').waitFor()
  })

  it('an invitation is sent by email too, and its link is still shown', async ({ portal, bob }) => {
    const acme = await portal.world.organization('Acme', { admin: bob })
    const page = await portal.signIn(bob, { path: `/${acme.slug}/users` })
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite' })
    await dialog.getByRole('textbox', { name: 'Email' }).fill('eve@example.com')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByText('An invitation was emailed to eve@example.com.').waitFor()
    const shown = await dialog.getByRole('textbox', { name: 'Invitation link' }).inputValue()
    await expectAccessible(page)
    await expect.poll(() => portal.emailsTo('eve@example.com').map(linkIn), { timeout: 15_000 }).toEqual([shown])
  })

  it('no organization can have the path of the page as its slug', async ({ portal, bob }) => {
    expect((await portal.world.organization('Forgot password', { admin: bob })).slug).toBe('forgot-password-2')
  })
})
