import { describe, expect } from 'vitest'
import { createPasswordReset } from '../../server/identity/password-reset.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, noSidewaysScroll, press } from '../support/browser/portal-page.ts'
import { password, pathIn, pathOf } from '../support/browser/sign-in-page.ts'
import { invited } from '../support/world/people.ts'
import { PASSWORD } from '../support/world/world.ts'

const it = inPortal()
  .extend('acme', { scope: 'file' }, ({ world, ada }) => world.organization('Acme Edge', { admin: ada }))
  .extend(
    'invite',
    ({ acme }) =>
      (email: string, role = 'MEMBER') =>
        invited(acme.call, { email, role }),
  )

describe('signing in, signing up and links', () => {
  describe('an invitation', () => {
    it('shows who invites whom with which role, and creates an account that is a member', async ({
      portal,
      invite,
    }) => {
      const { link } = await invite('dan@example.com', 'ADMIN')
      const page = await portal.open({ path: pathIn(link) })
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
      expect(pathOf(page)).toBe('/acme-edge/overview')
      await page.getByRole('button', { name: 'Account menu: Dan' }).waitFor()
    })

    it('asks for the password of an account that is not signed in, and says when it is wrong', async ({
      world,
      portal,
      invite,
    }) => {
      const eve = await world.signUp('Eve')
      const { link } = await invite(eve.email)
      const page = await portal.open({ path: pathIn(link) })
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

    it('takes one click from the invited person when signed in', async ({ world, portal, invite }) => {
      const fay = await world.signUp('Fay')
      const { link } = await invite(fay.email)
      const page = await portal.signIn(fay, { path: pathIn(link) })
      await heading(page, 'Join Acme Edge').waitFor()
      await page.getByRole('button', { name: 'Join Acme Edge' }).waitFor()
      expect(await page.getByRole('textbox').count()).toBe(0)
      await press(page, 'Join Acme Edge')
      await page.getByRole('button', { name: 'Account: Acme Edge' }).waitFor()
    })

    it('is not accepted for another person who is signed in', async ({ world, portal, ada, invite }) => {
      const gil = await world.signUp('Gil')
      const { link } = await invite(gil.email)
      const page = await portal.signIn(ada, { path: pathIn(link) })
      await password(page).fill(gil.password)
      await press(page, 'Join Acme Edge')
      await page.getByRole('button', { name: 'Account menu: Gil' }).waitFor()
    })

    it('that was used, withdrawn or never existed says so', async ({ world, portal, acme, invite }) => {
      const hal = await world.signUp('Hal')
      const { link, user } = await invite(hal.email)
      await acme.call('mutation ($id: ID!) { removeUser(userId: $id) }', { id: user.id })
      const page = await portal.open({ path: pathIn(link) })
      await heading(page, 'This invitation has expired').waitFor()
      await expectAccessible(page)
      await page.goto('/invitations#never-was')
      await heading(page, 'This invitation has expired').waitFor()
      await page.getByRole('link', { name: 'Sign in' }).click()
      await heading(page, 'Sign in').waitFor()
    })
  })

  describe('a reset link', () => {
    it('sets a new password and signs in; after that it says that it has been used', async ({ world, portal }) => {
      const ida = await world.signUp('Ida')
      const reset = await createPasswordReset(world.database, Date.now(), ida.email)
      const path = `/reset-password#${reset?.token}`
      const page = await portal.open({ path })
      await heading(page, 'Choose a new password').waitFor()
      await expect.poll(() => page.url()).toBe(`${world.url}/reset-password`)
      await page.reload()
      await heading(page, 'Choose a new password').waitFor()
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

    it('shows the keys of the personal account, and offers to revoke or keep them', async ({ world, portal }) => {
      const eva = await world.signUp('Eva')
      await eva.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
      const own = { slug: eva.personalSlug }
      const keys = [
        await world.generateKey(eva, own, { label: 'nightly-export' }),
        await world.generateKey(eva, own, { label: 'dashboard' }),
      ]
      const isAccepted = async () => {
        const answers = keys.map(({ secret }) => world.asKey(secret).call('{ viewer { role } }'))
        return (await Promise.all(answers)).map(({ status }) => status)
      }
      const setPassword = async () => {
        const reset = await createPasswordReset(world.database, Date.now(), eva.email)
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

    it('uses the singular for one key', async ({ world, portal }) => {
      const fay = await world.signUp('Fay')
      await fay.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
      await world.generateKey(fay, { slug: fay.personalSlug }, { label: 'nightly-export' })
      const reset = await createPasswordReset(world.database, Date.now(), fay.email)
      const page = await portal.open({ path: `/reset-password#${reset?.token}` })
      await page.getByLabel('New password', { exact: true }).fill('another long passphrase')
      await press(page, 'Set password')
      await heading(page, 'Your password is set. Keep your API key?').waitFor()
      await page.getByRole('button', { name: 'Keep it' }).waitFor()
      await press(page, 'Revoke it')
      await page.getByText('1 key revoked.').waitFor()
    })

    it('revokes nothing of somebody else who has signed in since, in another tab', async ({ world, portal }) => {
      const [gil, hal] = [await world.signUp('Gil'), await world.signUp('Hal')]
      for (const person of [gil, hal]) await person.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
      const keys = [
        await world.generateKey(gil, { slug: gil.personalSlug }),
        await world.generateKey(hal, { slug: hal.personalSlug }),
      ]
      const reset = await createPasswordReset(world.database, Date.now(), gil.email)
      const page = await portal.open({ path: `/reset-password#${reset?.token}` })
      await page.getByLabel('New password', { exact: true }).fill('another long passphrase')
      await press(page, 'Set password')
      await page.getByRole('listitem').first().waitFor()
      await page.context().request.post('/auth/sign-in', { data: { email: hal.email, password: hal.password } })
      await press(page, 'Revoke it')
      await page.getByText('This organization no longer exists, or you are no longer in it.').waitFor()
      for (const { secret } of keys) expect(await world.accepts(secret)).toBe(true)
    })
  })
})
