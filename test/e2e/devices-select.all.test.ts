import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE, press } from '../support/browser/portal-page.ts'
import { fleetOf, namesInTable } from '../support/world/fleet.ts'

const it = inPortalOrganization()
  .extend('fleet', ({ acme }) => fleetOf(acme))
  .extend('list', ({ acme }) => `/${acme.slug}/devices`)

const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const bar = (page: Page) => page.getByRole('region', { name: 'Selected devices' })
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `device-${String(i).padStart(3, '0')}`)

describe('many devices at once', () => {
  it('are selected by a range, by the page, and all that match, and stay selected on the next page', async ({
    portal,
    ada,
    fleet,
    list,
  }) => {
    await fleet.addMany([...numbered(60), 'other'])
    const page = await portal.signIn(ada, { path: `${list}?search=vice` })
    await box(page, 'device-001').click()
    await bar(page).getByText('1 selected').waitFor()
    await box(page, 'device-004').click({ modifiers: ['Shift'] })
    await bar(page).getByText('4 selected').waitFor()
    await page.getByRole('link', { name: 'Next' }).click()
    await box(page, 'device-055').click()
    await bar(page).getByText('5 selected').waitFor()
    await page.goBack()
    expect(await box(page, 'device-003').isChecked()).toBe(true)
    await page.getByRole('checkbox', { name: 'Select all devices on this page' }).click()
    await bar(page).getByText('51 selected').waitFor()
    await expectAccessible(page)
    await press(page, 'Select all 60')
    await bar(page).getByText('60 selected').waitFor()
    await page.getByRole('searchbox').fill('')
    await bar(page).waitFor({ state: 'hidden' })
    expect(await box(page, 'device-003').isChecked(), 'another filter begins anew').toBe(false)
  })

  it('get tags and lose them, each keeping its others', async ({ portal, ada, fleet, list }) => {
    await fleet.add({ name: 'a', tags: ['berlin', 'old'] })
    await fleet.add({ name: 'b' })
    await fleet.add({ name: 'c', tags: ['old'] })
    const page = await portal.signIn(ada, { path: list })
    await box(page, 'a').click()
    await bar(page).getByText('1 selected').waitFor()
    await box(page, 'b').click()
    await press(page, 'Edit tags')
    const dialog = page.getByRole('dialog', { name: 'Edit tags of 2 devices' })
    await dialog.getByRole('combobox', { name: 'Tags to add' }).pressSequentially('pilot,')
    await dialog.getByRole('combobox', { name: 'Tags to remove' }).pressSequentially('old,')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save tags' }).click()
    await page.getByText('2 devices changed.').waitFor()
    await bar(page).waitFor({ state: 'hidden' })
    const tags = Object.fromEntries((await fleet.all()).map((device) => [device.name, device.tags]))
    expect(tags).toEqual({ a: ['berlin', 'pilot'], b: ['pilot'], c: ['old'] })
  })

  it('are disabled and enabled by keyboard', async ({ portal, ada, fleet, list }) => {
    await fleet.addMany(['a', 'b'])
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('checkbox', { name: 'Select all devices on this page' }).focus()
    await page.keyboard.press('Space')
    await bar(page).getByRole('button', { name: 'Disable' }).press('Enter')
    await page.getByText('2 devices disabled.').waitFor()
    await page.getByRole('row', { name: /a Disabled/ }).waitFor()
    expect((await fleet.all()).map(({ enabled }) => enabled)).toEqual([false, false])
    const focused = page.locator(':focus')
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Select all devices on this page')
  })

  it('are deleted after the number is typed, and those that fail are named and stay selected', async ({
    portal,
    ada,
    acme,
    fleet,
    list,
  }) => {
    await fleet.addMany(numbered(8))
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('checkbox', { name: 'Select all devices on this page' }).click()
    const [gone] = await fleet.all()
    await ada.call(`mutation { deleteDevice(id: "${gone?.id}") }`, {}, acme.slug)
    await press(page, 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete 8 devices?' })
    const confirm = dialog.getByRole('button', { name: 'Delete 8 devices' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Type 8 to confirm' }).fill('8')
    await expectAccessible(page)
    await confirm.click()
    const result = page.getByRole('dialog', { name: 'Not all devices were deleted' })
    await result.getByText('7 devices deleted, 1 not.').waitFor()
    await result.getByRole('row', { name: /device-000/ }).waitFor()
    await expectAccessible(page)
    await result.getByRole('button', { name: 'Close' }).last().click()
    await bar(page).getByText('1 selected').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Delete')
    expect(await fleet.all()).toEqual([])
  })

  it('are not offered to a Member', async ({ portal, bob, fleet, list }) => {
    await fleet.add({ name: 'a' })
    const page = await portal.signIn(bob, { path: list })
    await page.getByText('1 device').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.getByRole('button', { name: 'Export' }).waitFor()
  })
})

describe('the order of the list', () => {
  it('is chosen at the head of a column, is in the address, and is said to a screen reader', async ({
    portal,
    ada,
    fleet,
    list,
  }) => {
    for (const name of ['a', 'b', 'c']) await fleet.add({ name })
    const byName = new Map((await fleet.all()).map(({ id, name }) => [name, id]))
    await fleet.checkIn(byName.get('b') ?? '')
    const page = await portal.signIn(ada, { path: list, viewport: { width: 1280, height: 800 } })
    const shows = (names: string[]) => expect.poll(() => namesInTable(page)).toEqual(names)
    const head = (name: string) => page.getByRole('columnheader', { name })
    expect(await head('Name').getAttribute('aria-sort')).toBe('ascending')
    await head('Name').getByRole('button').click()
    await shows(['c', 'b', 'a'])
    expect(new URL(page.url()).search).toBe('?sort=-name')
    expect(await head('Name').getAttribute('aria-sort')).toBe('descending')
    await head('Last seen').getByRole('button').click()
    await expect.poll(async () => (await namesInTable(page))[0]).toBe('b')
    expect(await head('Last seen').getAttribute('aria-sort')).toBe('descending')
    await page.reload()
    await expect.poll(async () => (await namesInTable(page))[0]).toBe('b')
    await page.goBack()
    await shows(['c', 'b', 'a'])
    await expectAccessible(page)
  })

  it('is chosen in a field on a phone, which has no room for the columns', async ({ portal, ada, fleet, list }) => {
    await fleet.add({ name: 'a' })
    await fleet.checkIn(await fleet.add({ name: 'b' }))
    const page = await portal.signIn(ada, { path: list, viewport: PHONE })
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('Last seen')
    await expect.poll(() => namesInTable(page)).toEqual(['b', 'a'])
    expect(new URL(page.url()).search).toBe('?sort=-lastSeen')
    await expectAccessible(page)
  })
})
