import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { WEB_ROUTES } from '../../server/http/web-routes.ts'
import { differences, stylesOf } from '../support/browser/computed-styles.ts'
import { busyAccounts, shown } from '../support/browser/first-visit.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { heading, type Portal, press } from '../support/browser/portal-page.ts'
import { supportStaff } from '../support/world/people.ts'
import type { Person } from '../support/world/world.ts'

const PANEL = '/$slug/users/api-keys'
const WEBHOOK = '/$slug/settings/webhooks/$id'

/** Where parts of pages are loaded when they are opened, and what is pressed for that. */
const PARTS: [route: string, ...pressed: string[]][] = [
  ['/$slug/overview', 'Account: Acme', 'Create organization'],
  ['/$slug/devices', 'Add device'],
  ['/$slug/devices', 'Import and export', 'Import'],
  ['/$slug/devices', 'Import and export', 'Export as CSV'],
  ['/$slug/devices', 'Select press-1', 'Edit tags'],
  ['/$slug/devices/$id', 'Edit'],
  ['/$slug/devices/$id', 'Delete'],
  ['/$slug/users', 'Invite'],
  [PANEL, 'Options'],
  [PANEL, 'Select'],
  [PANEL, 'Actions for ci', 'Rename'],
  [PANEL, 'Actions for ci', 'Rotate'],
  [PANEL, 'Actions for ci', 'Change access'],
  ['/$slug/api-keys/$id', 'Revoke'],
  [PANEL, 'More', 'Report a leaked key'],
  [PANEL, 'More', 'Canary keys'],
  ['/$slug/settings', 'API keys'],
  ['/$slug/settings/webhooks', 'Add webhook'],
  [WEBHOOK, 'Edit'],
  [WEBHOOK, 'Delete'],
  [WEBHOOK, 'Rotate secret'],
  [PANEL, 'Generate Key'], // the last one: it leaves a key behind
]

const it = inPortal()
  .extend('ada', { scope: 'file' }, ({ world }) => supportStaff(world, 'Ada'))
  .extend('accounts', { scope: 'file' }, ({ world, ada }) => busyAccounts(world, ada))

/** To a page without a load, as a link leads there. */
async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
}

async function open(page: Page, pressed: readonly string[]): Promise<void> {
  for (const name of pressed) {
    const named = { name, exact: true }
    await page
      .getByRole('button', named)
      .or(page.getByRole('menuitem', named))
      .or(page.getByRole('checkbox', named))
      .or(page.getByRole('switch', { name }))
      .first()
      .click()
  }
  await page.mouse.move(0, 0)
  if (pressed.includes('Generate Key')) await page.getByLabel('Secret', { exact: true }).waitFor()
}

/** Some parts of a page come a moment after it. */
const lookAlike = (one: Page, other: Page) =>
  expect.poll(async () => differences(await stylesOf(one), await stylesOf(other))).toEqual([])

/** Two pages of one session: one for a direct load, and one that has seen other pages. */
async function twoPages(portal: Portal, ada: Person, accounts: Awaited<ReturnType<typeof busyAccounts>>) {
  const visitor = await portal.signIn(ada, { path: accounts.pathOf('/$slug/audit') })
  await heading(visitor, 'Audit').waitFor()
  await navigate(visitor, accounts.pathOf('/$slug/overview'))
  await heading(visitor, 'Overview').waitFor()
  return [await visitor.context().newPage(), visitor] as const
}

const stylesheets = (page: Page) =>
  page.evaluate('[...document.styleSheets].map(({ href }) => href).filter((href) => href !== null)')

describe('what is loaded when it is needed looks as after a direct load', () => {
  it.for(WEB_ROUTES)('%s, whatever was visited before it', async (route, { portal, ada, accounts }) => {
    const [direct, visitor] = await twoPages(portal, ada, accounts)
    await direct.goto(accounts.pathOf(route))
    await shown(direct)
    await navigate(visitor, accounts.pathOf(route))
    await lookAlike(direct, visitor)
  })

  it.for(PARTS)('what is opened by %s %s %s', async ([route, ...pressed], { portal, ada, accounts }) => {
    const [direct, visitor] = await twoPages(portal, ada, accounts)
    await direct.goto(accounts.pathOf(route))
    await shown(direct)
    await navigate(visitor, accounts.pathOf(route))
    for (const page of [direct, visitor]) await open(page, pressed)
    await shown(direct)
    await lookAlike(direct, visitor)
    expect(await stylesheets(visitor)).toEqual(await stylesheets(direct))
  })

  it('the Copy buttons of a new key are beside the names of its fields, not below the fields', async ({
    portal,
    ada,
    accounts,
  }) => {
    const page = await portal.signIn(ada, { path: accounts.pathOf('/$slug/overview') })
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('link', { name: 'API Keys' }).click()
    await press(page, 'Generate Key')
    for (const [field, button] of [
      ['Secret', 'Copy secret'],
      ['Paste it into a terminal.', 'Copy curl'],
    ] as const) {
      const text = await page.getByLabel(field, { exact: true }).boundingBox()
      const copy = await page.getByRole('button', { name: button }).boundingBox()
      expect(copy?.y, button).toBeLessThan(text?.y ?? 0)
    }
  })

  it('one stylesheet has all that every page needs; the styles of the explorer come with its code', async ({
    portal,
    ada,
    accounts,
  }) => {
    const page = await portal.signIn(ada, { path: accounts.pathOf('/$slug/overview') })
    for (const route of WEB_ROUTES) {
      await navigate(page, accounts.pathOf(route))
      await shown(page)
    }
    expect(await stylesheets(page)).toHaveLength(1)
  })
})
