import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'

const FARTHEST = 40

/** Tab, as often as it takes; what cannot be reached so fails the test. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor()
  for (let presses = 0; presses < FARTHEST; presses++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Not reached by keyboard: ${target}`)
}

async function press(page: Page, role: 'button' | 'link', name: string | RegExp): Promise<void> {
  await tabTo(page, page.getByRole(role, { name, exact: true }))
  await page.keyboard.press('Enter')
}

const it = inPortalOrganization()

it('W1, W3, W4, K5, K8: by keyboard, an Admin signs in, generates a key, stores it and revokes it', async ({
  world,
  portal,
  ada,
  acme,
}) => {
  const page = await portal.open()

  await tabTo(page, page.getByRole('textbox', { name: 'Email' }))
  await page.keyboard.type(ada.email)
  await tabTo(page, page.getByLabel('Password', { exact: true }))
  await page.keyboard.type(ada.password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: `Account: ${acme.name}` }).waitFor()
  const arrived = page.getByRole('heading', { level: 1, name: 'Overview' }).and(page.locator(':focus'))
  await expect.poll(() => arrived.count()).toBe(1)

  await press(page, 'link', 'Users')
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  await press(page, 'link', 'API Keys')
  const panel = page.getByRole('dialog', { name: 'API Keys' })
  await panel.waitFor()

  await press(page, 'button', 'Generate Key')
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
  expect((await world.asKey(secret).call('{ viewer { role } }')).data).toEqual({ viewer: { role: 'ADMIN' } })
  await page.keyboard.press('Escape')
  expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toBe(secret)
  await press(page, 'button', 'I have stored it')
  await page.getByLabel('Secret', { exact: true }).waitFor({ state: 'detached' })

  const confirm = page.getByRole('button', { name: 'Revoke this key', exact: true })
  const askToRevoke = async () => {
    await press(page, 'button', /^Actions for/)
    await page.getByRole('menuitem', { name: 'Rename' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
  }
  await askToRevoke()
  await tabTo(page, page.getByRole('button', { name: 'Cancel' }))
  await page.keyboard.press('Enter')
  await confirm.waitFor({ state: 'detached' })
  expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(200)

  await askToRevoke()
  const typed = page.getByRole('textbox', { name: /^Type “.+” to confirm$/ }) // it has been used: a click is not enough
  await tabTo(page, typed)
  await page.keyboard.type((await panel.getByRole('rowheader').getByRole('link').textContent()) ?? '')
  await press(page, 'button', 'Revoke this key')
  await confirm.waitFor({ state: 'detached' })
  expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(401)

  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await expect.poll(() => page.locator(':focus').textContent()).toBe('API Keys')
})

it('by keyboard: menus open, arrows move through them, and the focus returns', async ({ portal, ada, acme }) => {
  const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })

  const focused = () => page.locator(':focus').textContent()
  await press(page, 'button', 'Account menu: Ada')
  await expect.poll(focused).toBe('Profile')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('Light')
  await page.keyboard.press('Escape')
  await page.getByRole('menuitem', { name: 'Profile' }).waitFor({ state: 'detached' })
  await expect.poll(focused).toContain('Account menu: Ada')

  await page.keyboard.press('Enter')
  await expect.poll(focused).toBe('Profile')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
  await expect.poll(() => page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).count()).toBe(1)
})
