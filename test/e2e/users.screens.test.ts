import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'
import { invited } from '../support/world/people.ts'
import type { TestOrganization } from '../support/world/world.ts'

let organizations = 0

const it = inPortal()
  .extend('ada', { scope: 'file' }, ({ world }) => world.signUp('Ada Lovelace'))
  .extend('bob', { scope: 'file' }, ({ world }) => world.signUp('Bob Noyce'))
  /** One of its own for each test, with Ada as its Admin and Bob as a Member. */
  .extend('organization', ({ portal, ada, bob }) => async (apiKeys = true): Promise<TestOrganization> => {
    const made = await portal.world.organization(`Acme ${++organizations}`, { admin: ada, apiKeys })
    await portal.world.join(made, bob, 'MEMBER')
    return made
  })

describe('the Users page', () => {
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
  const act = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }
  const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Users' })
  const toKeys = (page: Page) =>
    page.getByRole('link', { name: 'API Keys' }).or(page.getByRole('button', { name: 'API Keys' }))

  it('W1: shows an Admin the people, and with the feature on a link to the API keys', async ({
    portal,
    ada,
    bob,
    organization,
  }) => {
    const acme = await organization()
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await row(page, ada.email).getByText('Admin').waitFor()
    await row(page, ada.email).getByText('You').waitFor()
    await row(page, bob.email).getByText('Member').waitFor()
    await expectAccessible(page)
    await toKeys(page).click()
    await page.getByRole('dialog', { name: 'API Keys' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/${acme.slug}/users/api-keys`)
  })

  it('F2: with the feature off there is no API Keys button, and the URL of the panel says why', async ({
    portal,
    ada,
    organization,
  }) => {
    const acme = await organization(false)
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users/api-keys` })
    await page.getByText('API keys are off for this organization.', { exact: false }).waitFor()
    expect(await toKeys(page).count()).toBe(0)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await expectAccessible(page)
  })

  it('shows many people page by page, with their number, and finds one on any page', async ({
    portal,
    ada,
    organization,
  }) => {
    const acme = await organization()
    const invite = 'mutation ($email: String!) { inviteUser(input: { email: $email, role: MEMBER }) { link } }'
    for (let i = 10; i < 40; i++) await ada.call(invite, { email: `edda${i}@example.com` }, acme.slug)
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await page.getByText('1–25 of 32').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('26–32 of 32').waitFor()
    expect(await page.getByRole('row').count()).toBe(8)
    await expectAccessible(page)
    await page.getByRole('searchbox', { name: 'Search' }).fill('edda10')
    await row(page, 'edda10@example.com').waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
  })

  it('K2: a Member sees the people, no link to the keys and nothing to change, and may leave', async ({
    portal,
    ada,
    bob,
    organization,
  }) => {
    const acme = await organization()
    const page = await portal.signIn(bob, { path: `/${acme.slug}/users/api-keys` })
    await page.getByText('Only Admins of this organization can view API keys.').waitFor()
    await row(page, ada.email).waitFor()
    expect(await toKeys(page).count()).toBe(0)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByRole('button', { name: /Invite|Actions/ }).count()).toBe(0)
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Leave' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave the organization?' })
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('You have left.').waitFor()
    await page.getByRole('button', { name: /^Account:/ }).click()
    await page.getByRole('menuitem', { name: 'Bob Noyce (personal)' }).waitFor()
    expect(await page.getByRole('menuitem', { name: acme.name, exact: true }).count()).toBe(0)
  })

  it('invites: the link is shown to copy, and the person is listed as invited', async ({
    portal,
    ada,
    bob,
    organization,
  }) => {
    const acme = await organization()
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite' })
    await dialog.getByRole('textbox', { name: 'Email' }).fill('not an address')
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByText('An email address such as ada@example.com.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('textbox', { name: 'Email' }).fill(bob.email)
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByText('This person is a member already.').waitFor()
    await dialog.getByRole('textbox', { name: 'Email' }).fill('cy@example.com')
    await dialog.getByRole('button', { name: 'Invite' }).dblclick()
    const link = dialog.getByRole('textbox', { name: 'Invitation link' })
    expect(await link.inputValue()).toMatch(new RegExp(`^${portal.world.url}/invitations#emi_\\w+$`))
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await row(page, 'cy@example.com').getByText('Invited').waitFor()
    await act(page, 'cy@example.com', 'Withdraw invitation')
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw invitation' }).click()
    await row(page, 'cy@example.com').waitFor({ state: 'detached' })
  })

  it('changes a role, and shows the new one', async ({ portal, ada, bob, organization }) => {
    const acme = await organization()
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await act(page, 'Bob Noyce', 'Make Admin')
    await page.getByText('Bob Noyce is now an Admin.').waitFor()
    await row(page, bob.email).getByText('Admin', { exact: true }).waitFor()
    await expectAccessible(page)
    await act(page, 'Ada Lovelace', 'Make Member')
    await page.getByRole('button', { name: 'Invite' }).waitFor({ state: 'detached' })
    expect(await toKeys(page).count()).toBe(0)
  })

  it('protects the last Admin, and says what to do', async ({ portal, ada, organization }) => {
    const acme = await organization()
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await page.getByRole('button', { name: 'Actions for Ada Lovelace' }).click()
    await page.getByText('The last Admin cannot be removed. Make someone else an Admin first.').waitFor()
    expect(await page.getByRole('menuitem', { name: 'Make Member' }).isDisabled()).toBe(true)
    const leave = page.getByRole('menuitem', { name: 'Leave' })
    expect(await leave.isDisabled()).toBe(true)
    await leave.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await leave.waitFor({ state: 'detached' })
  })

  it('shows the refusal if somebody else was faster', async ({ portal, ada, bob, organization }) => {
    const acme = await organization()
    const change = 'mutation ($id: ID!, $role: Role!) { changeUserRole(userId: $id, role: $role) { id } }'
    await ada.call(change, { id: bob.userId, role: 'ADMIN' }, acme.slug)
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await page.getByRole('button', { name: 'Actions for Ada Lovelace' }).click()
    await ada.call(change, { id: bob.userId, role: 'MEMBER' }, acme.slug)
    await page.getByRole('menuitem', { name: 'Make Member' }).click()
    await page.getByRole('alert').filter({ hasText: 'The last Admin cannot leave' }).waitFor()
    await row(page, bob.email).getByText('Member').waitFor()
  })

  it('C6: before a removal, shows which keys the person created and that they stay; Cancel changes nothing', async ({
    portal,
    ada,
    organization,
  }) => {
    const acme = await organization()
    const eve = await portal.world.signUp('Eve Online')
    await portal.world.join(acme, eve, 'ADMIN')
    const key = await portal.world.generateKey(eve, acme, { label: 'billing export' })
    await portal.world.generateKey(ada, acme, { label: 'of somebody else' })
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await act(page, 'Eve Online', 'Remove')
    const dialog = page.getByRole('dialog', { name: 'Remove Eve Online?' })
    await dialog
      .getByText('The ones created by Eve Online stay active until they are revoked:', { exact: false })
      .waitFor()
    await dialog
      .getByText('Open invitations from Eve Online are withdrawn as well; people who have joined stay.')
      .waitFor()
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['billing export'])
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await row(page, eve.email).waitFor()

    await act(page, 'Eve Online', 'Remove')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row(page, eve.email).waitFor({ state: 'detached' })
    expect((await portal.world.asKey(key.secret).call('{ viewer { role } }')).status).toBe(200)
  })

  it('has a search when the list is long, which is in the URL', async ({ portal, ada, organization }) => {
    const acme = await organization()
    const call = (query: string, variables?: object) => ada.call(query, variables, acme.slug)
    for (let person = 1; person <= 20; person++) {
      await invited(call, { email: `person-${person}@example.com`, name: `Person ${person}` })
    }
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await page.getByRole('searchbox', { name: 'Search' }).fill('person 1')
    await expect.poll(() => page.getByRole('row').count()).toBe(1 + 11)
    expect(new URL(page.url()).search).toBe('?search=person+1')
    await page.reload()
    await expect.poll(() => page.getByRole('row').count()).toBe(1 + 11)
    await page.getByRole('searchbox', { name: 'Search' }).fill('nobody at all')
    await page.getByText('No users found').waitFor()
    await expectAccessible(page)
    await heading(page).waitFor()
  })
})
