import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, press } from '../support/browser/portal-page.ts'
import { fleetOf } from '../support/world/fleet.ts'

const it = inPortalOrganization()
  .extend('fleet', ({ acme }) => fleetOf(acme))
  .extend('list', ({ acme }) => `/${acme.slug}/devices`)

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Import devices' })

/** Opens the dialog of a list with devices, and gives it a file. */
async function importFile(page: Page, content: string | Buffer, name = 'devices.csv') {
  await page.getByRole('button', { name: 'Import and export' }).click()
  await page.getByRole('menuitem', { name: 'Import' }).click()
  return chooseFile(page, content, name)
}

async function chooseFile(page: Page, content: string | Buffer, name = 'devices.csv') {
  const dialog = dialogOf(page)
  await dialog.getByRole('button', { name: 'Choose a file' }).waitFor()
  await dialog.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) })
  return dialog
}

const manyLines = (count: number) =>
  `name,tags\n${Array.from({ length: count }, (_, i) => `device-${String(i).padStart(6, '0')},imported`).join('\n')}`

describe('an import', () => {
  it('shows what it would do, and creates only what is new', async ({ portal, ada, fleet, list }) => {
    await fleet.add({ name: 'press-7', tags: ['old'] })
    const page = await portal.signIn(ada, { path: list })
    const dialog = await importFile(page, '\uFEFFName;Tags;Colour\r\npress-7;new;red\r\n\r\npress-8;a, b;blue\r\n')
    await dialog.getByText('devices.csv: 1 to create, 1 already there.').waitFor()
    await dialog.getByText(/does not know these columns: Colour/).waitFor()
    await dialog.getByRole('row', { name: '4 press-8 a, b Create' }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Import 1 device' }).click()
    await dialog.getByText('1 device created, 0 updated.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('2 devices').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Import and export')
    const tags = Object.fromEntries((await fleet.all()).map((device) => [device.name, device.tags]))
    expect(tags).toEqual({ 'press-7': ['old'], 'press-8': ['a', 'b'] })
  })

  it('updates by name when told to, and nothing that the file does not have', async ({ portal, ada, fleet, list }) => {
    await fleet.add({ name: 'press-7', tags: ['old'], firmwareVersion: '1.0', enabled: false })
    await fleet.add({ name: 'press-8', tags: ['same'] })
    const page = await portal.signIn(ada, { path: list })
    const json = JSON.stringify([
      { name: 'press-7', tags: ['new'] },
      { name: 'press-8', tags: ['same'] },
      { name: 'press-9' },
    ])
    const dialog = await importFile(page, json, 'devices.json')
    await dialog.getByRole('radio', { name: 'Update them by name' }).click()
    await dialog.getByText('devices.json: 1 to create, 1 to update, 1 unchanged.').waitFor()
    await dialog.getByRole('row', { name: 'Update: tags' }).waitFor()
    await dialog.getByRole('button', { name: 'Import 2 devices' }).click()
    await dialog.getByText('1 device created, 1 updated.').waitFor()
    expect((await fleet.all()).find(({ name }) => name === 'press-7')).toMatchObject({
      tags: ['new'],
      firmwareVersion: '1.0',
      enabled: false,
    })
  })

  it('writes nothing of a file with an error, and says where it is', async ({ portal, ada, fleet, list }) => {
    await fleet.add({ name: 'there' })
    const page = await portal.signIn(ada, { path: list })
    const dialog = await importFile(page, 'name,latitude\npress-7,10\npress-8,95\npress-7,1\n')
    await dialog.getByRole('alert').getByText('There are 2 errors in “devices.csv”.').waitFor()
    await dialog.getByRole('row', { name: '3 location.latitude -90 to 90 degrees.' }).waitFor()
    await dialog.getByRole('row', { name: '4 name Line 2 has the same name.' }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Go back' }).click()
    await chooseFile(page, 'name\n"press-7\npress-8\n')
    await dialog.getByText('Nothing of “devices.csv” was imported').waitFor()
    await dialog.getByText('Line 2: A quote (") opens on this line and is never closed.').waitFor()
    await chooseFile(page, Buffer.from('name\npress-7', 'utf16le'))
    await dialog.getByText(/^The file is UTF-16 text/).waitFor()
    await chooseFile(page, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]), 'picture.png')
    await dialog.getByText(/^This is not a text file/).waitFor()
    await dialog.getByText('Nothing of “picture.png” was imported').waitFor()
    await expectAccessible(page)
    expect((await fleet.all()).map(({ name }) => name)).toEqual(['there'])
  })

  it('takes pasted text, which stays until it is right, and brings the first devices', async ({
    portal,
    ada,
    fleet,
    list,
  }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('button', { name: 'Import and export' }).click()
    await page.getByRole('menuitem', { name: 'Import' }).click()
    const text = dialogOf(page).getByRole('textbox', { name: 'Or paste the text' })
    await text.fill('name,enabled\npress-7,perhaps')
    await expectAccessible(page)
    await press(page, 'Check the text')
    await press(page, 'Go back')
    expect(await text.inputValue()).toContain('perhaps')
    await text.fill('name,enabled\npress-7,no')
    await press(page, 'Check the text')
    await press(page, 'Import 1 device')
    await dialogOf(page).getByText('1 device created, 0 updated.').waitFor()
    expect(await fleet.all()).toMatchObject([{ name: 'press-7', enabled: false }])
    await page.getByText('1 device', { exact: true }).waitFor() // the list behind the dialog is no longer empty
    await dialogOf(page).getByRole('button', { name: 'Close' }).last().click()
    await dialogOf(page).waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Import and export')
  })

  it('that fails in the middle says up to which line it is done, goes on, and gives the rest as a file', async ({
    portal,
    ada,
    acme,
    fleet,
    list,
  }) => {
    await fleet.add({ name: 'there' })
    const page = await portal.signIn(ada, { path: list, mayComplain: /ERR_FAILED/ })
    let calls = 0
    await page.route('**/portal/graphql', async (route) => {
      const isWrite = route.request().postData()?.includes('createDevices') ?? false
      if (!isWrite) return route.continue()
      calls++
      if (calls !== 2) return route.continue()
      await route.fetch() // done, but nobody hears of it
      return route.abort('failed')
    })
    const dialog = await importFile(page, manyLines(1200))
    await dialog.getByRole('button', { name: 'Import 1,200 devices' }).click()
    await dialog.getByText('Everything before line 502 is done.').waitFor()
    await dialog.getByText('Continue looks first, and writes none twice.').waitFor()
    expect(await dialog.getByText('check before you try again').count(), 'the dialog checks').toBe(0)
    await expectAccessible(page)
    const download = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download the rest' }).click()
    expect((await download).suggestedFilename()).toBe('devices-rest.csv')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('700 devices created').waitFor()
    const { data } = await ada.call('{ devices(first: 1) { totalCount } }', {}, acme.slug)
    expect(data).toMatchObject({ devices: { totalCount: 1201 } })
    expect(calls, 'what was written without an answer is not written again').toBe(3)
  })

  it('shows everything that the portal has against a line, and goes on without it', async ({
    portal,
    ada,
    fleet,
    list,
  }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.route('**/portal/graphql', async (route) => {
      const sent = route.request().postDataJSON()
      const bad = sent.variables?.inputs?.[1]
      if (bad) Object.assign(bad, { firmwareVersion: 'x'.repeat(81), location: { latitude: 95 } })
      await route.continue({ postData: JSON.stringify(sent) })
    })
    const dialog = await importFile(page, 'name\npress-7\npress-8\n')
    await dialog.getByRole('button', { name: 'Import 2 devices' }).click()
    await dialog.getByText('Nothing is written.').waitFor()
    await dialog.getByText('The portal refused these lines:').waitFor()
    await dialog.getByRole('row', { name: '3 firmwareVersion at most 80 characters.' }).waitFor()
    await dialog.getByRole('row', { name: '3 location.latitude' }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Continue without these lines' }).click()
    await dialog.getByText('1 device created, 0 updated.').waitFor()
    expect((await fleet.all()).map(({ name }) => name)).toEqual(['press-7'])
  })

  it('reads 100,000 lines and stays usable while it does', async ({ portal, ada, fleet, list }) => {
    await fleet.add({ name: 'there' })
    const page = await portal.signIn(ada, { path: list })
    await page.evaluate(WATCH_FRAMES)
    const dialog = await importFile(page, manyLines(100_000))
    await dialog.getByText('devices.csv: 100,000 to create').waitFor()
    await dialog.getByRole('button', { name: 'Import 100,000 devices' }).waitFor()
    expect(await page.evaluate('frames')).toBeGreaterThan(10)
    await expectAccessible(page)
  })
})

describe('an export', () => {
  it('has what the filter shows, and can be imported again without a change', async ({ portal, ada, fleet, list }) => {
    await fleet.add({ name: '=press-7', tags: ['a;b'], location: { name: 'Berlin, plant', latitude: -1.5 } })
    await fleet.add({ name: 'press-8', description: 'two\nlines' })
    await fleet.add({ name: 'other' })
    const page = await portal.signIn(ada, { path: `${list}?search=press` })
    const files: string[] = []
    for (const format of ['CSV', 'JSON']) {
      await page.getByRole('button', { name: 'Import and export' }).click()
      const download = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: `Export as ${format}` }).click()
      const chunks = await (await (await download).createReadStream()).toArray()
      files.push(Buffer.concat(chunks).toString())
      await page.getByText('2 devices exported.').first().waitFor()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    }
    expect(files[0]).toContain(`'=press-7,,true,"[""a;b""]",,"Berlin, plant",,-1.5`)
    expect(JSON.parse(files[1] ?? '')).toMatchObject([{ name: '=press-7', tags: ['a;b'] }, { name: 'press-8' }])
    for (const file of files) {
      const dialog = await importFile(page, file, 'again')
      await dialog.getByRole('radio', { name: 'Update them by name' }).click()
      await dialog.getByText('again: 0 to create, 0 to update, 2 unchanged.').waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
    }
  })
})

/** How often the page could be drawn. */
const WATCH_FRAMES = `
  var frames = 0
  requestAnimationFrame(function count() { frames++; requestAnimationFrame(count) })`
