import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE, WIDE } from '../support/browser/portal-page.ts'
import { fleetOf, namesInTable } from '../support/world/fleet.ts'

const it = inPortal().extend('list', { scope: 'file' }, async ({ acme }) => {
  const fleet = fleetOf(acme)
  const berlin = { name: 'Berlin plant', latitude: 52.5, longitude: 13.4 }
  await fleet.checkIn(await fleet.add({ name: 'Press-7', tags: ['berlin', 'pilot'], location: berlin }))
  await fleet.add({ name: 'press-8', tags: ['berlin'] })
  await fleet.add({ name: 'Gateway', enabled: false })
  return `/${acme.slug}/devices`
})

describe('the devices page', () => {
  const shows = (page: Page, names: string[]) => expect.poll(() => namesInTable(page)).toEqual(names)

  it('lists the fleet by name: status as a word, tags, location, last seen', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list, ...WIDE })
    await page.getByText('3 devices').waitFor()
    await expect.poll(() => page.title()).toBe('Devices · Acme · Edge Management Portal')
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(
      expect.arrayContaining(['Name', 'Status', 'Tags', 'Location', 'Last seen']),
    )
    await shows(page, ['Gateway', 'Press-7', 'press-8'])
    const row = page.getByRole('row', { name: 'Press-7' })
    for (const cell of ['Online', 'Berlin plant', /ago|now/]) await row.getByRole('cell', { name: cell }).waitFor()
    for (const tag of ['berlin', 'pilot']) await row.getByRole('link', { name: tag }).waitFor()
    await page.getByRole('row', { name: /Gateway Disabled Never seen/ }).waitFor()
  })

  it('finds a part of a name, in any case, with the text in the URL and the focus in the field', async ({
    portal,
    ada,
    list,
  }) => {
    const page = await portal.signIn(ada, { path: list })
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.pressSequentially('RES')
    await shows(page, ['Press-7', 'press-8'])
    await page.getByText('2 devices match').waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?search=RES') // R and RE find the same
    await page.keyboard.type('s-8')
    await shows(page, ['press-8'])
    await page.getByText('1 device matches').waitFor()
    await page.reload()
    await shows(page, ['press-8'])
    expect(await search.inputValue()).toBe('RESs-8')
    await search.fill('gate ')
    await shows(page, ['Gateway'])
    expect(await search.inputValue(), 'the blank of a name being typed').toBe('gate ')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('3 devices', { exact: true }).waitFor()
    await expect.poll(async () => [new URL(page.url()).search, await search.inputValue()]).toEqual(['', ''])
  })

  it('keeps the devices and the field visible while others are loading', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.getByText('3 devices').waitFor()
    const answer = await holdAnswers(page, '"nameContains":"gate"')
    await page.getByRole('searchbox', { name: 'Search' }).fill('gate')
    await page.waitForURL('**/devices?search=gate')
    await page.locator('[aria-busy=true]').waitFor()
    expect(await namesInTable(page)).toHaveLength(3)
    await answer()
    await shows(page, ['Gateway'])
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('gate')
  })

  it('keeps a filter that is chosen before the typing has paused', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('searchbox', { name: 'Search' }).fill('press')
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Never seen')
    await shows(page, ['press-8'])
    await expect.poll(() => new URL(page.url()).search).toBe('?search=press&status=NEVER_SEEN')
  })

  it('filters by status, tags and enabled; the URL restores each of them', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list, ...WIDE })
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Never seen')
    await shows(page, ['Gateway', 'press-8'])
    await page.getByRole('combobox', { name: 'Enabled' }).selectOption('Disabled')
    await shows(page, ['Gateway'])
    await page.reload()
    await shows(page, ['Gateway'])
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('NEVER_SEEN')
    await page.goBack()
    await shows(page, ['Gateway', 'press-8'])
    await page.goBack()
    await shows(page, ['Gateway', 'Press-7', 'press-8'])
    await page.getByRole('combobox', { name: 'Tag' }).fill('berlin')
    await page.keyboard.press('Enter')
    await shows(page, ['Press-7', 'press-8'])
    await page.getByRole('row', { name: 'Press-7' }).getByRole('link', { name: 'pilot' }).click()
    await shows(page, ['Press-7'])
    await page.goto(`${list}?tags=${encodeURIComponent('["berlin","pilot"]')}`)
    await shows(page, ['Press-7'])
    await page.getByRole('button', { name: 'Remove tag pilot' }).click()
    await shows(page, ['Press-7', 'press-8'])
  })

  it('ignores invalid parts of a URL', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: `${list}?status=ASLEEP&enabled=perhaps&tags=&search=%00` })
    await page.getByText('3 devices').waitFor()
    await page.goto(`${list}?after=nonsense`)
    await page.getByText('3 devices').waitFor()
    await page.goto(`${list}?search=7&sort=-colour`)
    await page.getByText('1 device matches').waitFor()
  })

  it('refreshes by itself', async ({ portal, ada }) => {
    const busy = await portal.world.organization('Busy', { admin: ada })
    const id = await fleetOf(busy).add({ name: 'sensor' })
    const page = await portal.signIn(ada, { path: `/${busy.slug}/devices` })
    await page.clock.install()
    await page.reload()
    await page.getByRole('row', { name: /sensor Never seen/ }).waitFor()
    await fleetOf(busy).checkIn(id)
    await page.clock.runFor(11_000)
    await page.getByRole('row', { name: /sensor Online/ }).waitFor()
  })

  it('pages through 120 devices: forward, back, by reload, by link', async ({ portal, ada }) => {
    const big = await portal.world.organization('Big', { admin: ada })
    const names = Array.from({ length: 120 }, (_, i) => `device-${String(i).padStart(3, '0')}`)
    await fleetOf(big).addMany(names)
    const page = await portal.signIn(ada, { path: `/${big.slug}/devices` })
    const next = page.getByRole('link', { name: 'Next' })
    const previous = page.getByRole('link', { name: 'Previous' })
    await page.getByText('120 devices').waitFor()
    await shows(page, names.slice(0, 50))
    expect(await previous.count()).toBe(0)
    await next.click()
    await shows(page, names.slice(50, 100))
    await next.click()
    await shows(page, names.slice(100))
    await page.getByText('Page 3 · 120 devices').waitFor()
    expect(await next.count()).toBe(0)
    const third = page.url()
    await page.reload()
    await shows(page, names.slice(100))
    await previous.click()
    await shows(page, names.slice(50, 100))
    await previous.click()
    await shows(page, names.slice(0, 50))
    await page.goBack()
    await shows(page, names.slice(50, 100))
    await page.getByRole('searchbox', { name: 'Search' }).fill('DEVICE-11')
    await shows(page, names.slice(110))

    const linked = await portal.signIn(ada, { path: new URL(third).pathname + new URL(third).search })
    await shows(linked, names.slice(100))
    await linked.getByRole('link', { name: 'First page' }).click()
    await shows(linked, names.slice(0, 50))

    const { promise: counted, resolve: count } = Promise.withResolvers<void>()
    await linked.route('**/portal/graphql', async (route) => {
      if (route.request().postData()?.includes('CountDevicesUpTo')) await counted
      await route.fallback()
    })
    await linked.getByRole('searchbox', { name: 'Search' }).fill('device-0')
    await linked.getByText('More than 50 devices match').waitFor()
    await shows(linked, names.slice(0, 50))
    count()
    await linked.getByText('100 devices match', { exact: true }).waitFor()
  })

  it('says why it is empty: no devices yet, or none that match', async ({ portal, ada, list }) => {
    const fresh = await portal.world.organization('Fresh', { admin: ada })
    const page = await portal.signIn(ada, { path: `/${fresh.slug}/devices` })
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    const call = await page.getByRole('textbox', { name: 'Or add one from a script' }).inputValue()
    expect(call).toContain(`curl ${portal.world.url}/graphql`)
    expect(call).toContain('api-secret: $API_SECRET')
    await page.getByRole('button', { name: 'Add device' }).click()
    await page.getByRole('dialog', { name: 'Add device' }).waitFor()

    await page.goto(`${list}?search=nothing`)
    await page.getByRole('heading', { name: 'No device matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shows(page, ['Gateway', 'Press-7', 'press-8'])
  })

  it('never shows the devices of one account in another, not even while loading', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.getByText('3 devices').waitFor()
    await page.evaluate(WATCH_FOR_MIX)
    const answer = await holdAnswers(page, 'query Devices')
    await page.getByRole('button', { name: /^Account:/ }).click()
    await page.getByRole('menuitem', { name: 'Personal' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Devices' }).click()
    await expect.poll(() => namesInTable(page)).toEqual([])
    await answer()
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor()
    expect(await page.evaluate('mixed')).toBe(false)
  })

  it('is accessible when full, empty and filtered', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.getByText('3 devices').waitFor()
    await expectAccessible(page)
    for (const path of [`${list}?search=nothing`, `${list}?tags=berlin`]) {
      await page.goto(path)
      await page.getByRole('searchbox').waitFor()
      await expectAccessible(page)
    }
  })

  it('is accessible with the menu of a device open', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list, ...WIDE })
    await page.getByRole('button', { name: 'Actions for Gateway' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
    await expectAccessible(page)
  })

  it('shows name, status and last seen on a phone', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list, viewport: PHONE })
    await page.getByText('3 devices').waitFor()
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Name', 'Status'])
    await page.getByRole('row', { name: /Press-7 Online .*(ago|now)/ }).waitFor()
  })
})

/** Notes whether rows ever stand under the name of another account than theirs. */
const WATCH_FOR_MIX = `
  var mixed = false
  new MutationObserver(() => {
    const account = document.querySelector('header [aria-label^="Account"]')?.ariaLabel
    if (account !== 'Account: Acme' && document.querySelector('tbody th')?.checkVisibility()) mixed = true
  }).observe(document.body, { subtree: true, childList: true, attributes: true })`

/** Lets the answers to requests with this text in them wait until the test says so. */
async function holdAnswers(page: Page, text: string): Promise<() => Promise<void>> {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/portal/graphql', async (route) => {
    if (route.request().postData()?.includes(text)) await held
    await route.continue()
  })
  return async () => {
    answer()
    await page.unrouteAll({ behavior: 'wait' })
  }
}
