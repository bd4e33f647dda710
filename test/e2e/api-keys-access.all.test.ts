import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import {
  chooseFor,
  generate,
  noSidewaysScrollInDialogs,
  openPanelOf,
  rowOf,
} from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'
import { fieldOf } from '../support/world/people.ts'

const run = promisify(execFile)

const DEVICES = '{ devices { data { id name } } }'
const CREATE = 'mutation { createDevice(input: { name: "made-by-key" }) { id } }'

const changeDialog = (page: Page) => page.getByRole('dialog', { name: /^Change access of / })
const device = (page: Page) => page.getByRole('combobox', { name: 'Device', exact: true })

const it = inPanel().extend('press7', async ({ acme }) =>
  fieldOf<{ id: string }>(await acme.call('mutation { createDevice(input: { name: "press-7" }) { id } }')),
)

describe('what a key may do', () => {
  it('C10: a new key for check-ins is bound to the device that was found by its name, and the call shown works', async ({
    acme,
    page,
    press7,
  }) => {
    await page.getByRole('radio', { name: 'Check-in' }).check()
    await device(page).fill('press')
    await expect.poll(() => page.locator('datalist option').getAttribute('value')).toBe('press-7')
    await device(page).fill('press-7')
    await page.getByRole('button', { name: 'Options' }).click()
    await page.getByLabel('Requests per second').fill('5')
    await page.getByLabel('Requests per day').fill('1000')
    await page.getByLabel('Allowed networks').fill('127.0.0.0/8')
    await generate(page, 'press')
    await page.getByText('This key can only check in and read device press-7.').waitFor()
    const { stdout } = await run('sh', [
      '-c',
      await page.getByRole('tabpanel', { name: 'curl' }).getByRole('textbox').inputValue(),
    ])
    expect(JSON.parse(stdout)).toMatchObject({ data: { checkInDevice: { lastSeenAt: expect.any(String) } } })
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await rowOf(page, 'press').getByText('Check-in: press-7').waitFor()
    const { data } = await acme.call(
      '{ apiKeys { data { access deviceId allowedNetworks requestsPerSecond requestsPerDay } } }',
    )
    const restricted = { allowedNetworks: ['127.0.0.0/8'], requestsPerSecond: 5, requestsPerDay: 1000 }
    expect(data).toEqual({ apiKeys: { data: [{ access: 'CHECK_IN', deviceId: press7.id, ...restricted }] } })
  })

  it('C10: options restrict a key only while they are shown, and stay as they were; the access is always chosen', async ({
    acme,
    page,
  }) => {
    await page.getByRole('radio', { name: 'Devices' }).check()
    await page.getByRole('button', { name: 'Options' }).click()
    await page.getByLabel('Requests per day').fill('many')
    await page.getByRole('button', { name: 'Fewer options' }).click()
    expect(await page.getByLabel('Requests per day').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Options', exact: true }).click()
    expect(await page.getByLabel('Requests per day').inputValue()).toBe('many')
    await page.getByRole('button', { name: 'Fewer options' }).click()
    await generate(page, 'ci')
    const { data } = await acme.call('{ apiKeys { data { access requestsPerDay } } }')
    expect(data).toEqual({ apiKeys: { data: [{ access: 'DEVICES', requestsPerDay: null }] } })
  })

  it('the numbers of a key are in the language of the browser', async ({ portal, ada, acme }) => {
    await acme.generateKey({ label: 'ci', requestsPerSecond: 1_000, requestsPerDay: 50_000 })
    const page = await openPanelOf(portal, ada, acme, { locale: 'de-DE' })
    await rowOf(page, 'ci').getByText('1.000 a second · 50.000 a day').waitFor()
  })

  it('C10: what is refused is shown at its field, and nothing that was typed is lost', async ({
    acme,
    page,
    panel,
  }) => {
    await page.getByLabel('Label').fill('press')
    await page.getByRole('button', { name: 'Options' }).click()
    await page.getByRole('radio', { name: 'Check-in' }).check()
    const refusedAt = async (field: ReturnType<typeof device>, wrong: string, words: string, right: string) => {
      await field.fill(wrong)
      await page.getByRole('button', { name: 'Generate Key' }).click()
      await panel.getByText(words, { exact: false }).waitFor()
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      expect(await field.inputValue()).toBe(wrong)
      await expect.poll(() => field.and(page.locator(':focus')).count()).toBe(1)
      await field.fill(right)
    }
    await refusedAt(device(page), 'no such device', 'No device has this name.', '')
    await refusedAt(page.getByLabel('Requests per second'), 'many', 'Enter a whole number', '')
    await refusedAt(page.getByLabel('Requests per day'), '0', '1 to 1', '')
    await refusedAt(page.getByLabel('Allowed networks'), '10.0.0.0/99', 'needs a prefix of 0 to 32', '')
    expect(await page.getByLabel('Label').inputValue()).toBe('press')
    expect(await page.getByRole('radio', { name: 'Check-in' }).isChecked()).toBe(true)
    await expectAccessible(page)
    const { data } = await acme.call('{ apiKeys { data { id } } }')
    expect(data).toEqual({ apiKeys: { data: [] } })
  })

  it('C10: a change holds at once, and a key that would be wider than before is warned of', async ({
    world,
    acme,
    page,
  }) => {
    const { secret } = await acme.generateKey({ label: 'ci' })
    await chooseFor(page, 'ci', 'Change access')
    const warning = changeDialog(page).getByText('This widens the key')
    await changeDialog(page).getByRole('radio', { name: 'Devices' }).check()
    await changeDialog(page).getByLabel('Requests per second').fill('50')
    await changeDialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('“ci” was changed. Takes effect on the next call.').waitFor()
    await changeDialog(page).waitFor({ state: 'detached' })
    await rowOf(page, 'ci').getByText('Devices', { exact: true }).waitFor()
    expect((await world.asKey(secret).call(DEVICES)).errors).toEqual([])
    expect((await world.asKey(secret).call('{ users { data { id } } }')).errors.map(({ code }) => code)).toEqual([
      'FORBIDDEN',
    ])

    await chooseFor(page, 'ci', 'Change access')
    await changeDialog(page).getByRole('radio', { name: 'Check-in' }).check()
    await changeDialog(page).getByRole('combobox', { name: 'Device' }).waitFor()
    expect(await warning.count()).toBe(0)
    await changeDialog(page).getByRole('radio', { name: 'Read only' }).check()
    await warning.filter({ hasText: 'it allows more operations.' }).waitFor()
    await changeDialog(page).getByLabel('Requests per second').fill('500')
    await warning.filter({ hasText: 'more operations, more requests per second.' }).waitFor()
    await page.keyboard.press('Escape')
    await changeDialog(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Actions for ci')
    expect((await world.asKey(secret).call(CREATE)).errors).toEqual([])
  })

  it('C10: a key that is bound to a device keeps it until another is chosen, and what others changed meanwhile stays', async ({
    acme,
    page,
    press7,
  }) => {
    const { id } = await acme.generateKey({ label: 'ci' })
    const bind =
      'mutation ($id: ID!, $d: ID!) { updateApiKey(id: $id, input: { access: CHECK_IN, deviceId: $d }) { id } }'
    await acme.call(bind, { id, d: press7.id })
    await rowOf(page, 'ci').getByText('Check-in: press-7').waitFor()
    await chooseFor(page, 'ci', 'Change access')
    expect(await device(page).inputValue()).toBe('press-7')
    await acme.call('mutation ($id: ID!) { updateApiKey(id: $id, input: { requestsPerDay: 7 }) { id } }', { id })
    await changeDialog(page).getByLabel('Not before').fill('2020-01-31T10:00')
    await changeDialog(page).getByRole('button', { name: 'Save' }).click()
    await changeDialog(page).waitFor({ state: 'detached' })
    const read = 'query ($id: ID!) { apiKey(id: $id) { deviceId requestsPerDay notBefore } }'
    const { apiKey } = (await acme.call(read, { id })).data as { apiKey: Record<string, unknown> }
    expect(apiKey).toEqual({ deviceId: press7.id, requestsPerDay: 7, notBefore: expect.stringMatching(/^2020-01-3/) })
  })

  it('is accessible in both themes, and fits a phone', async ({ acme, page }) => {
    await acme.generateKey({ label: `ci ${'long '.repeat(12)}`.trim() })
    await page.getByRole('button', { name: 'Options' }).click()
    await page.getByRole('radio', { name: 'Check-in' }).check()
    await device(page).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Fewer options' }).click()
    await chooseFor(page, `ci ${'long '.repeat(12)}`.trim(), 'Change access')
    await changeDialog(page).getByLabel('Allowed networks').waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
  })
})
