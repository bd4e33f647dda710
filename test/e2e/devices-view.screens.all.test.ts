import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, WIDE } from '../support/browser/portal-page.ts'
import { fleetOf, namesInTable } from '../support/world/fleet.ts'
import type { TestOrganization } from '../support/world/world.ts'

const it = inPortalOrganization().extend('list', async ({ acme }) => {
  const fleet = fleetOf(acme)
  await fleet.add({ name: 'press-7', tags: ['berlin', 'pilot'] })
  await fleet.add({ name: 'press-8', tags: ['berlin'] })
  return `/${acme.slug}/devices`
})

const rowHeight = async (page: Page) => (await page.locator('tbody tr').first().boundingBox())?.height

describe('the rows of the list', () => {
  it('are comfortable or compact, 36 px high, as the browser remembers', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list, ...WIDE })
    await page.getByText('2 devices').waitFor()
    expect(await rowHeight(page)).toBeCloseTo(44, 0)
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitemradio', { name: 'Comfortable', checked: true }).waitFor()
    await expectAccessible(page)
    await page.getByRole('menuitemradio', { name: 'Compact' }).click()
    await expect.poll(() => rowHeight(page)).toBeCloseTo(36, 0)
    await page.reload()
    await page.getByText('2 devices').waitFor()
    expect(await rowHeight(page)).toBeCloseTo(36, 0)
    await expectAccessible(page)
  })
})

const BEYOND = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const SCROLLS_SIDEWAYS =
  '(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector("table").parentElement)'

describe('the heads of the list stay in sight while it scrolls', () => {
  const all =
    '?columns=%5B%22tags%22%2C%22location%22%2C%22firmware%22%2C%22lastSeen%22%2C%22updated%22%2C%22created%22%5D'

  it.for([
    [1280, ''],
    [800, ''],
    [390, ''],
    [800, all], // with large text: too wide for the page, so that it scrolls by itself
  ] as const)('%s pixels wide %s', async ([width, columns], { portal, ada, acme, list }) => {
    await fleetOf(acme).addMany(Array.from({ length: 30 }, (_, i) => `gateway-${i}`))
    const page = await portal.signIn(ada, { path: `${list}${columns}`, viewport: { width, height: 500 } })
    await page.getByText('32 devices').waitFor()
    if (columns !== '') await page.evaluate('document.documentElement.style.fontSize = "24px"')
    await expect.poll(() => page.evaluate(SCROLLS_SIDEWAYS)).toBe(columns !== '')
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByRole('link', { name: 'press-8' }).scrollIntoViewIfNeeded()
    const topOf = async (what: Locator) => (await what.boundingBox())?.y ?? Number.NaN
    const head = await topOf(page.getByRole('columnheader', { name: 'Status' }))
    expect(head).toBeGreaterThanOrEqual(0)
    expect(head).toBeLessThan(await topOf(page.getByRole('link', { name: 'press-8' })))
    expect(head).toBeGreaterThan(await topOf(page.getByRole('link', { name: 'gateway-0' })))
    expect(await page.evaluate(BEYOND), 'pixels beyond the right edge of the page').toBeLessThanOrEqual(0)
  })
})

describe('what the list shows', () => {
  const heads = (page: Page) => page.getByRole('columnheader').allInnerTexts()

  it('columns are chosen, and are in the address; a view has them, the filter and the order under a name', async ({
    portal,
    ada,
    list,
  }) => {
    const page = await portal.signIn(ada, {
      path: `${list}?search=press-8&columns=%5B%22firmware%22%2C%22nothing%22%5D`,
      ...WIDE,
    })
    await page.getByText('1 device matches').waitFor()
    expect(await heads(page)).toEqual(['Name', 'Status', 'Firmware', 'Actions'])
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Added' }).click()
    await expect.poll(() => heads(page)).toEqual(['Name', 'Status', 'Firmware', 'Added', 'Actions'])
    await page.getByRole('menuitem', { name: 'Save or remove views' }).click()
    await page.getByLabel('Name of this view').fill('new firmware')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByText('View “new firmware” saved.').waitFor()

    await page.goto(list)
    await page.getByText('2 devices').waitFor()
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitemradio', { name: 'new firmware', checked: false }).click()
    await page.getByText('1 device matches').waitFor()
    expect(await heads(page)).toEqual(['Name', 'Status', 'Firmware', 'Added', 'Actions'])
    await page.getByRole('menuitemradio', { name: 'new firmware', checked: true }).waitFor()
    await page.getByRole('menuitem', { name: 'Save or remove views' }).click()
    await page.getByRole('button', { name: 'Remove new firmware' }).click()
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'new firmware' }).count()).toBe(0)
  })

  it('a view is saved for everyone by an Admin, and others have it beside their own', async ({
    portal,
    ada,
    bob,
    acme,
    list,
  }) => {
    const page = await portal.signIn(ada, { path: `${list}?search=press-7&tags=%5B%22pilot%22%5D` })
    await page.getByText('1 device matches').waitFor()
    await page.getByRole('button', { name: 'View' }).click()
    expect(await page.getByText('Everyone’s').count()).toBe(0)
    await page.getByRole('menuitem', { name: 'Save or remove views' }).click()
    await page.getByLabel('Name of this view').fill('pilots')
    await page.getByLabel(`For everyone in ${acme.name}`).click()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByText('View “pilots” saved.').waitFor()

    const bobs = await portal.signIn(bob, { path: list })
    await bobs.getByText('2 devices').waitFor()
    await bobs.getByRole('button', { name: 'View' }).click()
    await bobs.getByText('Everyone’s').waitFor()
    expect(await bobs.getByText('Yours').count()).toBe(0)
    await bobs.getByRole('menuitemradio', { name: 'pilots', checked: false }).click()
    await bobs.getByText('1 device matches').waitFor()
    await bobs.getByRole('menuitem', { name: 'Save or remove views' }).click()
    expect(await bobs.getByRole('checkbox').count()).toBe(0)
    await bobs.getByLabel('Name of this view').fill('pilots')
    await bobs.getByRole('button', { name: 'Save view' }).click()
    await bobs.getByText('View “pilots” saved.').waitFor()
    await bobs.getByRole('button', { name: 'View' }).click()
    await bobs.getByText('Yours').waitFor()
    expect(await bobs.getByRole('menuitemradio', { name: 'pilots', checked: true }).count()).toBe(2)
    await expectAccessible(bobs)
    await bobs.getByRole('menuitem', { name: 'Save or remove views' }).click()
    await bobs.getByRole('button', { name: 'Remove pilots', exact: true }).waitFor()
    expect(await bobs.getByRole('button', { name: /^Remove pilots/ }).count()).toBe(1)

    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitem', { name: 'Save or remove views' }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove pilots for everyone' }).click()
    await expect.poll(() => page.getByRole('button', { name: /^Remove pilots/ }).count()).toBe(0)
    await bobs.reload()
    await bobs.getByText('1 device matches').waitFor()
    await bobs.getByRole('button', { name: 'View' }).click()
    await bobs.getByText('Yours').waitFor()
    expect(await bobs.getByText('Everyone’s').count()).toBe(0)
  })
})

describe('saved views and the menu of the list', () => {
  it('a name of any length leaves room for its button, and the menu is no wider than a narrow column', async ({
    portal,
    ada,
    acme,
    list,
  }) => {
    await saveViews(acme, ['W'.repeat(80)])
    const page = await portal.signIn(ada, { path: list, viewport: { width: 320, height: 640 } })
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitem', { name: 'Save or remove views' }).click()
    await page.getByRole('button', { name: /^Remove W/ }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitemradio', { name: /^W/ }).waitFor()
    expect((await page.getByRole('menu').boundingBox())?.width).toBeLessThanOrEqual(400)
  })

  it('after a view was removed, the focus is on the next one, or on the list', async ({ portal, ada, acme, list }) => {
    await saveViews(acme, ['one', 'two'])
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitem', { name: 'Save or remove views' }).click()
    await page.getByRole('button', { name: 'Remove one' }).press('Enter')
    await expect.poll(() => page.getByRole('button', { name: 'Remove one' }).count()).toBe(0)
    await expect.poll(() => focused(page)).toBe('twoRemove')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('button', { name: 'Remove two' }).count()).toBe(0)
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Saved views')
  })

  it('with more views than fit on the screen, the last entry is reached by keyboard', async ({
    portal,
    ada,
    acme,
    list,
  }) => {
    await fleetOf(acme).addMany(Array.from({ length: 30 }, (_, i) => `gateway-${i}`))
    await saveViews(
      acme,
      Array.from({ length: 30 }, (_, i) => `view ${i}`),
    )
    const page = await portal.signIn(ada, { path: list, viewport: { width: 320, height: 640 } })
    await page.getByText('32 devices').waitFor()
    await page.getByRole('button', { name: 'View' }).press('Enter')
    await expect.poll(() => focused(page)).toBe('Comfortable')
    await page.keyboard.press('End')
    await expect.poll(() => focused(page)).toBe('Save or remove views')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Saved views' }).waitFor()
  })

  it('columns are chosen on any page, which stays', async ({ portal, ada, acme, list }) => {
    await fleetOf(acme).addMany(Array.from({ length: 60 }, (_, i) => `gateway-${i}`))
    const page = await portal.signIn(ada, { path: list, ...WIDE })
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('Page 2 · 62 devices').waitFor()
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Firmware' }).click()
    await page.getByRole('columnheader', { name: 'Firmware' }).waitFor()
    await page.getByText('Page 2 · 62 devices').waitFor()
    expect(await page.getByRole('row').count()).toBe(13)
  })
})

const focused = (page: Page) => page.evaluate('document.activeElement.textContent')

async function saveViews(acme: TestOrganization, names: readonly string[]): Promise<void> {
  const save = 'mutation ($input: SaveDeviceViewInput!) { saveDeviceView(input: $input) { id } }'
  for (const name of names) await acme.call(save, { input: { name, search: 'status=OFFLINE' } })
}

describe('suggestions of tags', () => {
  const suggested = (page: Page) =>
    page.evaluate<string[]>(
      '[...document.querySelectorAll("datalist option")].map(({ value, text }) => value + ": " + text)',
    )

  it('are the tags in use with their numbers, and the filter says how one is applied', async ({
    portal,
    ada,
    list,
  }) => {
    const page = await portal.signIn(ada, { path: `${list}?search=press-8` })
    const field = page.getByRole('combobox', { name: 'Tag' })
    await field.focus()
    await expect.poll(() => suggested(page)).toEqual(['berlin: 2 devices', 'pilot: 1 device'])
    await page.getByText('Pick a tag, or press Enter').waitFor()
    await expectAccessible(page)
    await page.keyboard.type('berlin')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove tag berlin' }).waitFor()
    await expect.poll(() => suggested(page)).toEqual(['pilot: 1 device'])
    expect(await namesInTable(page)).toEqual(['press-8'])
  })

  it('are those that begin with what is typed, where there are more than twenty', async ({
    portal,
    ada,
    acme,
    list,
  }) => {
    await fleetOf(acme).add({ name: 'many', tags: Array.from({ length: 20 }, (_, i) => `a-${i}`) })
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('combobox', { name: 'Tag' }).focus()
    await expect.poll(async () => (await suggested(page)).length).toBe(20)
    await page.keyboard.type('pi')
    await expect.poll(() => suggested(page)).toEqual(['pilot: 1 device'])
  })

  it('are in the form of a device too, by keyboard', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('button', { name: 'Add device' }).click()
    const form = page.getByRole('dialog', { name: 'Add device' })
    await form.getByLabel('Tags').click()
    await page.getByRole('option', { name: 'berlin 2 devices' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.type('pil')
    await page.getByRole('option', { name: 'pilot 1 device' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await form.getByText('pilot', { exact: true }).first().waitFor()
    await form.getByLabel('Name', { exact: true }).fill('press-9')
    await form.getByRole('button', { name: 'Add device' }).click()
    await page.getByRole('heading', { name: 'press-9', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'pilot' }).waitFor()
  })
})
