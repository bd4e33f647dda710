import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, goOffline, goOnline, WIDE } from '../support/browser/portal-page.ts'
import { plainEnv } from '../support/environment.ts'
import { fleetOf, namesInTable, saidAt } from '../support/world/fleet.ts'
import type { TestOrganization } from '../support/world/world.ts'

const OFFLINE = /ERR_INTERNET_DISCONNECTED/

const it = inPortal().extend('list', { scope: 'file' }, async ({ acme }) => {
  await fleetOf(acme).add({ name: 'taken' })
  return `/${acme.slug}/devices`
})

describe('one device', () => {
  const pageOf = (list: string, id: string) => `${list}/${id}`
  const named = async (acme: TestOrganization, name: string) =>
    (await fleetOf(acme).all()).find((device) => device.name === name)

  it('is added with all fields, once however often the button is clicked, and shown', async ({
    portal,
    ada,
    acme,
    list,
  }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('button', { name: 'Add device' }).click()
    const form = page.getByRole('dialog', { name: 'Add device' })
    const typed = {
      Name: 'press-1',
      Description: 'Stands by the door.',
      Firmware: '1.4.2',
      Place: 'Berlin plant',
      Address: 'Invalidenstr. 1',
      Latitude: '52.52',
      Longitude: '-13,4',
      'Time zone': 'Europe/Berlin',
    }
    for (const [label, text] of Object.entries(typed)) await form.getByLabel(label, { exact: true }).fill(text)
    await form.getByLabel('Tags').fill('pilot')
    await page.keyboard.press('Enter')
    await form.getByLabel('Tags').fill('berlin')
    await form.getByRole('button', { name: 'Add device' }).dblclick()
    await page.getByRole('heading', { name: 'press-1', level: 1 }).waitFor()
    await expect.poll(() => page.title()).toBe('press-1 · Acme · Edge Management Portal')
    for (const fact of ['Never seen', '1.4.2', 'Berlin plant', 'Invalidenstr. 1', '52.52, -13.4', 'Europe/Berlin']) {
      await page.getByRole('definition').filter({ hasText: fact }).waitFor()
    }
    expect((await fleetOf(acme).all()).filter(({ name }) => name === 'press-1')).toMatchObject([
      { enabled: true, tags: ['pilot', 'berlin'] },
    ])
    await page.getByRole('link', { name: 'pilot' }).click()
    await expect.poll(() => namesInTable(page)).toEqual(['press-1'])
  })

  it('is refused at the invalid field, and keeps what was typed', async ({ portal, ada, acme, list }) => {
    const page = await portal.signIn(ada, { path: list })
    await page.getByRole('button', { name: 'Add device' }).click()
    const form = page.getByRole('dialog', { name: 'Add device' })
    const field = (label: string) => form.getByLabel(label, { exact: true })
    const refused = async (label: string, words: string | RegExp) => {
      await form.getByRole('button', { name: 'Add device' }).click()
      await expect.poll(() => saidAt(page, label)).toMatch(words)
    }
    await refused('Name', 'This field is required.')
    await field('Name').fill('taken')
    await field('Description').fill('Kept.')
    await field('Tags').fill('kept')
    await page.keyboard.press('Enter')
    await refused('Name', 'The organization has a device of this name already.')
    await field('Name').fill('press-2')
    await field('Latitude').fill('91')
    await refused('Latitude', '-90 to 90 degrees.')
    await field('Latitude').fill('north')
    await refused('Latitude', 'Enter degrees as a number, for example 52.52.')
    await field('Latitude').fill('')
    await field('Longitude').fill('181')
    await refused('Longitude', '-180 to 180 degrees.')
    await field('Longitude').fill('')
    await field('Time zone').fill('Atlantis')
    await refused('Time zone', /The name of a time zone/)
    await field('Time zone').fill('UTC')
    for (let i = 0; i < 20; i++) {
      await field('Tags').fill(`tag-${i}`)
      await page.keyboard.press('Enter')
    }
    await refused('Tags', 'At most 20.')
    expect([await field('Name').inputValue(), await field('Description').inputValue()]).toEqual(['press-2', 'Kept.'])
    await form.getByText('kept', { exact: true }).waitFor()
    expect(await named(acme, 'press-2')).toBeUndefined()
    await field('Tags').focus()
    await page.keyboard.press('Backspace')
    await form.getByRole('button', { name: 'Add device' }).click()
    await page.getByRole('heading', { name: 'press-2', level: 1 }).waitFor()
  })

  it('survives a lost connection: the form says so, keeps what was typed, and can be sent again', async ({
    portal,
    ada,
    list,
  }) => {
    const page = await portal.signIn(ada, { path: list, mayComplain: OFFLINE })
    await page.getByRole('button', { name: 'Add device' }).click()
    const form = page.getByRole('dialog', { name: 'Add device' })
    await form.getByLabel('Name').fill('press-3')
    await goOffline(page)
    await form.getByRole('button', { name: 'Add device' }).click()
    await form.getByRole('alert').filter({ hasText: 'Can’t reach the portal' }).waitFor()
    expect(await form.getByLabel('Name').inputValue()).toBe('press-3')
    await goOnline(page)
    await form.getByRole('button', { name: 'Add device' }).click()
    await page.getByRole('heading', { name: 'press-3', level: 1 }).waitFor()
  })

  it('is edited without undoing the changes of a script in the meantime', async ({ portal, ada, acme, list }) => {
    const id = await fleetOf(acme).add({ name: 'press-4', firmwareVersion: '1.0', tags: ['old'], description: 'Old.' })
    const page = await portal.signIn(ada, { path: pageOf(list, id) })
    await page.getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit device' })
    await form.getByLabel('Name').fill('press-4b')
    await form.getByLabel('Description').fill('')
    await fleetOf(acme).update(id, { firmwareVersion: '2.0' })
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'press-4b', level: 1 }).waitFor()
    await page.getByText('press-4b was updated.').waitFor()
    const fact = (words: RegExp) => page.getByRole('definition').filter({ hasText: words })
    await fact(/^2\.0$/).waitFor()
    expect(await fact(/^Old\.$/).count()).toBe(0)
    expect(await named(acme, 'press-4b')).toMatchObject({ firmwareVersion: '2.0', tags: ['old'], enabled: true })
  })

  it('is disabled and enabled, from the list and from its page', async ({ portal, ada, acme, list }) => {
    const id = await fleetOf(acme).add({ name: 'press-5' })
    const page = await portal.signIn(ada, { path: `${list}?search=press-5`, ...WIDE })
    await page.getByRole('button', { name: 'Actions for press-5' }).click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByRole('row', { name: /press-5 Disabled/ }).waitFor()
    expect((await named(acme, 'press-5'))?.enabled).toBe(false)
    await page.getByRole('link', { name: 'press-5' }).click()
    await page.waitForURL(`**${pageOf(list, id)}`)
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByRole('button', { name: 'Disable' }).waitFor()
    expect((await named(acme, 'press-5'))?.enabled).toBe(true)
  })

  it('is deleted only after a dialog that names it, from the list and from its page', async ({
    portal,
    ada,
    acme,
    list,
  }) => {
    await fleetOf(acme).add({ name: 'old-1' })
    const id = await fleetOf(acme).add({ name: 'old-2' })
    const page = await portal.signIn(ada, { path: `${list}?search=old-`, ...WIDE })
    const ask = async () => {
      await page.getByRole('button', { name: 'Actions for old-1' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
    }
    await ask()
    const dialog = page.getByRole('dialog', { name: 'Delete old-1?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await named(acme, 'old-1')).toBeDefined()
    await ask()
    await dialog.getByRole('button', { name: 'Delete device' }).click()
    await expect.poll(() => namesInTable(page)).toEqual(['old-2'])
    await page.getByText('old-1 was deleted.').waitFor()

    await page.goto(pageOf(list, id))
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete old-2?' }).getByRole('button', { name: 'Delete device' }).click()
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
    await page.getByText('old-2 was deleted.').waitFor()
    expect(await named(acme, 'old-2')).toBeUndefined()
  })

  it('checks in by the call on its page, as written', async ({ portal, ada, acme, list }) => {
    const id = await fleetOf(acme).add({ name: 'press-6' })
    const { secret } = await portal.world.generateKey(ada, acme)
    const page = await portal.signIn(ada, { path: pageOf(list, id) })
    const call = await page.getByLabel('Check-in call', { exact: true }).inputValue()
    await promisify(execFile)('bash', ['-c', call], { env: { ...plainEnv(), API_SECRET: secret } })
    await page.reload()
    await page.getByRole('definition').filter({ hasText: 'Online' }).waitFor()
  })

  it('gives the same page if it never existed, was deleted, or belongs to another organization', async ({
    portal,
    ada,
    acme,
    list,
  }) => {
    const other = await portal.world.organization('Other', { admin: await portal.world.signUp('Eve') })
    const foreign = await fleetOf(other).add({ name: 'foreign' })
    const seen: string[] = []
    for (const id of ['nothing', foreign]) {
      const page = await portal.signIn(ada, { path: pageOf(list, id) })
      await page.getByRole('heading', { name: 'Not found' }).waitFor()
      seen.push(await page.getByRole('main').innerText())
    }
    expect(seen[0]).toBe(seen[1])

    const id = await fleetOf(acme).add({ name: 'leaving' })
    const page = await portal.signIn(ada, { path: pageOf(list, id) })
    await page.clock.install()
    await page.reload()
    await page.getByRole('heading', { name: 'leaving' }).waitFor()
    await ada.call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id }, acme.slug)
    await page.clock.runFor(11_000)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
  })

  it('is read-only for a Member, with every field', async ({ portal, ada, acme, list }) => {
    const max = await portal.world.signUp('Max')
    await portal.world.join(acme, max, 'MEMBER')
    const id = await fleetOf(acme).add({ name: 'readable', description: 'For all to read.' })
    const page = await portal.signIn(max, { path: `${list}?search=readable` })
    await page.getByRole('link', { name: 'readable' }).waitFor()
    for (const name of ['Add device', /^Actions for/]) expect(await page.getByRole('button', { name }).count()).toBe(0)
    await page.goto(pageOf(list, id))
    await page.getByText('For all to read.').waitFor()
    await page.getByRole('heading', { name: 'Check in' }).waitFor()
    for (const name of ['Edit', 'Delete', 'Disable', 'Enable']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
    const fresh = await portal.world.organization('Fresh', { admin: ada })
    await portal.world.join(fresh, max, 'MEMBER')
    await page.goto(`/${fresh.slug}/devices`)
    await page.getByText('Admins of this organization can add them.').waitFor()
    expect(await page.getByRole('button', { name: 'Add device' }).count()).toBe(0)
  })

  it('is found, added, changed and deleted by keyboard', async ({ portal, ada, list }) => {
    const page = await portal.signIn(ada, { path: list, ...WIDE })
    const press = (key: string) => page.keyboard.press(key)
    const tabTo = async (name: string) => {
      const isThere = `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()`
      for (let i = 0; i < 60 && (await page.evaluate(isThere)) !== name; i++) await press('Tab')
      expect(await page.evaluate(isThere)).toBe(name)
    }
    await page.getByRole('button', { name: 'Add device' }).waitFor()
    await tabTo('Add device')
    await press('Enter')
    const nameIn = (dialog: string) => page.getByRole('dialog', { name: dialog }).getByLabel('Name', { exact: true })
    await nameIn('Add device').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('by-keyboard')
    await press('Enter')
    await page.getByRole('heading', { name: 'by-keyboard', level: 1 }).waitFor()
    await tabTo('Edit')
    await press('Enter')
    await nameIn('Edit device').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('-changed')
    await press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.goto(list)
    await page.getByRole('searchbox').waitFor()
    await tabTo('Search')
    await page.keyboard.type('by-keyboard')
    await expect.poll(() => namesInTable(page)).toEqual(['by-keyboard-changed'])
    await tabTo('Actions for by-keyboard-changed')
    await press('Enter')
    const focused = () => page.locator(':focus').textContent()
    await expect.poll(focused).toBe('Edit')
    await press('ArrowUp')
    await expect.poll(focused).toBe('Delete')
    await press('Enter')
    await page.getByRole('dialog', { name: 'Delete by-keyboard-changed?' }).waitFor()
    await tabTo('Delete device')
    await press('Enter')
    await page.getByRole('heading', { name: 'No device matches' }).waitFor()
  })

  it('is accessible, page and dialogs, however long the names are', async ({ portal, ada, acme, list }) => {
    const id = await fleetOf(acme).add({
      name: 'a-name-as-long-as-names-may-be-without-any-blank-in-it-to-break-at-there',
      description: 'Stands by the door.',
      tags: ['a-tag-of-forty-characters-without-a-blank', 'pilot'].map((tag) => tag.slice(0, 40)),
      location: { name: 'Berlin', latitude: 52.5, longitude: 13.4 },
    })
    const page = await portal.signIn(ada, { path: pageOf(list, id) })
    await page.getByRole('heading', { name: 'Check in' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').getByLabel('Latitude').fill('91')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('-90 to 90 degrees.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete device' }).waitFor()
    await expectAccessible(page)
  })
})
