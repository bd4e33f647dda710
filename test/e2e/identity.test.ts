import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPasswordReset } from '../../server/identity/password-reset.ts'
import { invited } from '../support/people.ts'
import { expectAccessible, noSidewaysScroll, openPortal, type Portal } from '../support/portal-page.ts'
import { PASSWORD, type Person, type TestOrganization } from '../support/world.ts'

describe('signing in, signing up and links', () => {
  let portal: Portal
  let ada: Person
  let acme: TestOrganization
  beforeAll(async () => {
    portal = await openPortal()
    ada = await portal.world.signUp('Ada')
    acme = await portal.world.organization('Acme Edge', { admin: ada })
  })
  afterAll(() => portal.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  const email = (page: Page) => page.getByRole('textbox', { name: 'Email' })
  const password = (page: Page) => page.getByLabel('Password', { exact: true })
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const invite = (address: string, role = 'MEMBER') =>
    invited((query, variables) => ada.call(query, variables, acme.slug), { email: address, role })
  const pathOf = (page: Page) => new URL(page.url()).pathname
  /** A link without the place where the portal is. */
  const inPortal = (link: string) => new URL(link).pathname + new URL(link).hash

  describe('signing in', () => {
    it('says at the field what is missing, keeps what was typed, and sends nothing', async () => {
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

    it('gives the same message for a wrong password and an unknown address', async () => {
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

    it('says how long to wait after too many attempts', async () => {
      const page = await portal.open({ path: '/sign-in' })
      for (let tries = 0; tries < 9; tries++) {
        await portal.world.post('/auth/sign-in', { email: 'guess@example.com', password: 'wrong' })
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

    it('reports a lost connection, keeps what was typed, and works once it is back', async () => {
      const page = await portal.open({ path: '/sign-in', mayComplain: /ERR_INTERNET_DISCONNECTED/ })
      await email(page).fill(ada.email)
      await password(page).fill(ada.password)
      await page.context().setOffline(true)
      await press(page, 'Sign in')
      await page.getByText('The portal cannot be reached. Check the connection and try again.').waitFor()
      await page.context().setOffline(false)
      await press(page, 'Sign in')
      await heading(page, 'Devices').waitFor()
    })

    it('never redirects to another site', async () => {
      const page = await portal.open()
      for (const next of ['https://example.org/', '//example.org', '/%5Cexample.org', '/%09/example.org']) {
        await page.goto(`/sign-in?next=${next}`)
        await email(page).fill(ada.email)
        await password(page).fill(ada.password)
        await press(page, 'Sign in')
        await heading(page, 'Devices').waitFor()
        expect(new URL(page.url()).origin).toBe(portal.world.url)
      }
    })
  })

  describe('signing up', () => {
    it('creates an account and continues to the requested page', async () => {
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

    it('says that an address has an account', async () => {
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

  describe('an invitation', () => {
    it('shows who invites whom with which role, and creates an account that is a member', async () => {
      const { link } = await invite('dan@example.com', 'ADMIN')
      const page = await portal.open({ path: inPortal(link) })
      await heading(page, 'Join Acme Edge').waitFor()
      await page.getByText('dan@example.com has been invited as an Admin.').waitFor()
      await expectAccessible(page)
      await page.getByRole('textbox', { name: 'Name' }).fill('Dan')
      await password(page).fill('password1234')
      await press(page, 'Join Acme Edge')
      await page.getByText(/too common/i).waitFor()
      await password(page).fill(PASSWORD)
      await press(page, 'Join Acme Edge')
      await page.getByRole('button', { name: 'Account: Acme Edge' }).waitFor()
      expect(pathOf(page)).toBe('/acme-edge/devices')
      await page.getByRole('button', { name: 'Account menu: Dan' }).waitFor()
    })

    it('asks for the password of an account that is not signed in, and says when it is wrong', async () => {
      const eve = await portal.world.signUp('Eve')
      const { link } = await invite(eve.email)
      const page = await portal.open({ path: inPortal(link) })
      await heading(page, 'Join Acme Edge').waitFor()
      expect(await page.getByRole('textbox', { name: 'Name' }).count()).toBe(0)
      await expectAccessible(page)
      await password(page).fill('not this one, sorry')
      await press(page, 'Join Acme Edge')
      await page.getByText('Wrong password.').waitFor()
      await password(page).fill(eve.password)
      await press(page, 'Join Acme Edge')
      await page.getByRole('button', { name: 'Account: Acme Edge' }).waitFor()
    })

    it('takes one click from the invited person when signed in', async () => {
      const fay = await portal.world.signUp('Fay')
      const { link } = await invite(fay.email)
      const page = await portal.signIn(fay, { path: inPortal(link) })
      await heading(page, 'Join Acme Edge').waitFor()
      await page.getByRole('button', { name: 'Join Acme Edge' }).waitFor()
      expect(await page.getByRole('textbox').count()).toBe(0)
      await press(page, 'Join Acme Edge')
      await page.getByRole('button', { name: 'Account: Acme Edge' }).waitFor()
    })

    it('is not accepted for another person who is signed in', async () => {
      const gil = await portal.world.signUp('Gil')
      const { link } = await invite(gil.email)
      const page = await portal.signIn(ada, { path: inPortal(link) })
      await password(page).fill(gil.password)
      await press(page, 'Join Acme Edge')
      await page.getByRole('button', { name: 'Account menu: Gil' }).waitFor()
    })

    it('that was used, withdrawn or never existed says so', async () => {
      const hal = await portal.world.signUp('Hal')
      const { link, user } = await invite(hal.email)
      await ada.call('mutation ($id: ID!) { removeUser(userId: $id) }', { id: user.id }, acme.slug)
      const page = await portal.open({ path: inPortal(link) })
      await heading(page, 'This invitation has expired').waitFor()
      await expectAccessible(page)
      await page.goto('/invitations#never-was')
      await heading(page, 'This invitation has expired').waitFor()
      await page.getByRole('link', { name: 'Sign in' }).click()
      await heading(page, 'Sign in').waitFor()
    })
  })

  describe('a reset link', () => {
    it('sets a new password and signs in; after that it says that it has been used', async () => {
      const ida = await portal.world.signUp('Ida')
      const reset = await createPasswordReset(portal.world.database, Date.now(), ida.email)
      const path = `/reset-password#${reset?.token}`
      const page = await portal.open({ path })
      await heading(page, 'Choose a new password').waitFor()
      await expect.poll(() => page.url()).toBe(`${portal.world.url}/reset-password`)
      await page.reload()
      await expectAccessible(page)
      await page.getByLabel('New password', { exact: true }).fill('another long passphrase')
      await press(page, 'Set password')
      await page.getByRole('button', { name: 'Account menu: Ida' }).waitFor()
      expect((await ida.call('{ viewer { role } }')).status).toBe(401)

      await page.goto(path)
      await page.getByLabel('New password', { exact: true }).fill('yet another passphrase')
      await press(page, 'Set password')
      await heading(page, 'This link has expired').waitFor()
      await expectAccessible(page)
    })

    it('shows the keys of the personal account, and offers to revoke or keep them', async () => {
      const eva = await portal.world.signUp('Eva')
      await eva.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
      const own = { slug: eva.personalSlug }
      const keys = [
        await portal.world.generateKey(eva, own, { label: 'nightly-export' }),
        await portal.world.generateKey(eva, own, { label: 'dashboard' }),
      ]
      const isAccepted = async () => {
        const answers = keys.map(({ secret }) => portal.world.asKey(secret).call('{ viewer { role } }'))
        return (await Promise.all(answers)).map(({ status }) => status)
      }
      const setPassword = async () => {
        const reset = await createPasswordReset(portal.world.database, Date.now(), eva.email)
        const page = await portal.open({ path: `/reset-password#${reset?.token}` })
        await page.getByLabel('New password', { exact: true }).fill('another long passphrase')
        await press(page, 'Set password')
        await heading(page, 'Your password is set. Keep your API keys?').waitFor()
        return page
      }

      const kept = await setPassword()
      await kept.getByText('someone else had access').waitFor()
      await kept.getByRole('listitem').filter({ hasText: 'nightly-export' }).getByText('Never used').waitFor()
      await kept.getByRole('listitem').filter({ hasText: 'dashboard' }).getByText('by Eva').waitFor()
      await expectAccessible(kept)
      await noSidewaysScroll(kept)
      await press(kept, 'Keep them')
      await kept.getByRole('button', { name: 'Account menu: Eva' }).waitFor()
      expect(await isAccepted()).toEqual([200, 200])

      const page = await setPassword()
      await page.reload()
      await heading(page, 'Your password is set. Keep your API keys?').waitFor()
      await page.getByRole('listitem').filter({ hasText: 'nightly-export' }).waitFor()
      await press(page, 'Revoke all')
      await page.getByText('2 keys revoked.').waitFor()
      await page.getByRole('button', { name: 'Account menu: Eva' }).waitFor()
      expect(await isAccepted()).toEqual([401, 401])
    })

    it('uses the singular for one key', async () => {
      const fay = await portal.world.signUp('Fay')
      await fay.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
      await portal.world.generateKey(fay, { slug: fay.personalSlug }, { label: 'nightly-export' })
      const reset = await createPasswordReset(portal.world.database, Date.now(), fay.email)
      const page = await portal.open({ path: `/reset-password#${reset?.token}` })
      await page.getByLabel('New password', { exact: true }).fill('another long passphrase')
      await press(page, 'Set password')
      await heading(page, 'Your password is set. Keep your API key?').waitFor()
      await page.getByRole('button', { name: 'Keep it' }).waitFor()
      await press(page, 'Revoke it')
      await page.getByText('1 key revoked.').waitFor()
    })
  })

  it.each([`/invitations/emi_${'x'.repeat(49)}`, `/reset/emr_${'x'.repeat(49)}`])(
    'a link of an older version says so: %s',
    async (path) => {
      const page = await portal.open({ path })
      await page.getByText('This link was created by an older version of the portal. Ask for a new one.').waitFor()
      await expectAccessible(page)
    },
  )
})
