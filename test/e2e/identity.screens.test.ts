import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, goOffline, goOnline, heading, openPortal, press } from '../support/browser/portal-page.ts'
import { email, password, pathOf } from '../support/browser/sign-in-page.ts'
import { PASSWORD } from '../support/world/world.ts'

const it = inPortal()

describe('signing in, signing up and links', () => {
  describe('signing in', () => {
    it('says at the field what is missing, keeps what was typed, and sends nothing', async ({ portal }) => {
      const page = await portal.open({ path: '/sign-in' })
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') sent.push(request.url())
      })
      await email(page).fill('ada@example.com')
      await press(page, 'Sign in')
      await page.getByText('This field is required.').waitFor()
      expect(await password(page).getAttribute('aria-invalid')).toBe('true')
      expect(await email(page).inputValue()).toBe('ada@example.com')
      expect(sent).toEqual([])
      await expectAccessible(page)
    })

    it('gives the same message for a wrong password and an unknown address', async ({ portal, ada }) => {
      const page = await portal.open({ path: '/sign-in' })
      const words: string[] = []
      for (const address of [ada.email, 'nobody@example.com']) {
        await email(page).fill(address)
        await password(page).fill('not the right passphrase')
        await press(page, 'Sign in')
        words.push(await page.getByRole('alert').innerText())
      }
      expect(words).toEqual(['Email address or password is wrong.', 'Email address or password is wrong.'])
      await expectAccessible(page)
    })

    it('says how long to wait after too many attempts', async ({ world, portal }) => {
      const page = await portal.open({ path: '/sign-in' })
      for (let tries = 0; tries < 9; tries++) {
        await world.post('/auth/sign-in', { email: 'guess@example.com', password: 'wrong' })
      }
      await email(page).fill('guess@example.com')
      await password(page).fill('wrong again')
      // The first wait is a second, which may be over by now: then this attempt fails too, and the next wait is longer.
      const answer = async () => {
        await press(page, 'Sign in')
        return page.getByRole('alert').innerText()
      }
      await expect.poll(answer).toMatch(/^Too many attempts .* Wait \d+ seconds?, then try again\.$/)
    })

    it('reports a lost connection, keeps what was typed, and works once it is back', async ({ portal, ada }) => {
      const page = await portal.open({ path: '/sign-in', mayComplain: /ERR_INTERNET_DISCONNECTED/ })
      await email(page).fill(ada.email)
      await password(page).fill(ada.password)
      await goOffline(page)
      await press(page, 'Sign in')
      await page.getByText('Can’t reach the portal. Check your connection and try again.').waitFor()
      await goOnline(page)
      await press(page, 'Sign in')
      await heading(page, 'Overview').waitFor()
    })

    it('never redirects to another site', async ({ world, portal, ada }) => {
      const page = await portal.open()
      for (const next of ['https://example.org/', '//example.org', '/%5Cexample.org', '/%09/example.org']) {
        await page.goto(`/sign-in?next=${next}`)
        await email(page).fill(ada.email)
        await password(page).fill(ada.password)
        await press(page, 'Sign in')
        await heading(page, 'Overview').waitFor()
        expect(new URL(page.url()).origin).toBe(world.url)
      }
    })
  })

  describe('signing up', () => {
    it('creates an account and continues to the requested page', async ({ portal }) => {
      const page = await portal.open({ path: '/support' })
      await page.getByRole('link', { name: 'Sign up' }).click()
      await heading(page, 'Sign up').waitFor()
      await expectAccessible(page)
      await page.getByRole('textbox', { name: 'Name' }).fill('Cy')
      await email(page).fill('cy@example.com')
      await password(page).fill('short')
      await press(page, 'Sign up')
      await page.getByText('12 to 256 characters.').waitFor()
      await expectAccessible(page)
      expect(await email(page).inputValue()).toBe('cy@example.com')
      await password(page).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign up' }).dblclick()
      await page.getByRole('button', { name: 'Account menu: Cy' }).waitFor()
      expect(pathOf(page)).toBe('/support')
    })

    it('says that an address has an account', async ({ portal, ada }) => {
      const page = await portal.open({ path: '/sign-up' })
      await page.getByRole('textbox', { name: 'Name' }).fill('Ada again')
      await email(page).fill(ada.email)
      await password(page).fill(PASSWORD)
      await press(page, 'Sign up')
      await page.getByText('There is an account with this email address: sign in.').waitFor()
      expect(await email(page).getAttribute('aria-invalid')).toBe('true')
    })

    it('when off, says to ask for an invitation, and shows no form', async () => {
      const closed = await openPortal({ env: { SIGN_UP: 'off' } })
      try {
        const page = await closed.open({ path: '/sign-up?next=%2Facme%2Fusers' })
        await page.getByText('Sign-up is disabled. Ask an Admin for an invitation.').waitFor()
        expect(await page.getByRole('textbox').count()).toBe(0)
        await expectAccessible(page)
        await page.getByRole('link', { name: 'Sign in' }).click()
        await heading(page, 'Sign in').waitFor()
        expect(new URL(page.url()).searchParams.get('next')).toBe('/acme/users')
        expect(await page.getByRole('link', { name: 'Sign up' }).count()).toBe(0)
        await page.close()
      } finally {
        await closed.close()
      }
    })
  })
})
