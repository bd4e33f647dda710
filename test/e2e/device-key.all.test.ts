import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { countOf } from '../support/browser/api-keys-panel.ts'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, noSidewaysScroll, PHONE } from '../support/browser/portal-page.ts'
import { fieldOf } from '../support/world/people.ts'

const run = promisify(execFile)

const it = inPortalOrganization().extend('device', async ({ acme }) =>
  fieldOf<{ id: string }>(await acme.call('mutation { createDevice(input: { name: "press-7" }) { id } }')),
)

describe('a key for one device', () => {
  it('C10: one click on its page generates a key for its check-ins alone, with a call that works', async ({
    world,
    portal,
    ada,
    acme,
    device,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/devices/${device.id}` })
    const sent = countOf(page, 'GenerateApiKey')
    const button = page.getByRole('button', { name: 'Generate a key for this device' })
    await button.waitFor()
    await expectAccessible(page)
    await button.dblclick()
    await page.getByText('This key can only check in and read device press-7.').waitFor()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    const { stdout } = await run('sh', [
      '-c',
      await page.getByRole('tabpanel', { name: 'curl' }).getByRole('textbox').inputValue(),
    ])
    expect(JSON.parse(stdout)).toMatchObject({ data: { checkInDevice: { lastSeenAt: expect.any(String) } } })
    const { errors } = await world.asKey(secret).call('{ devices { data { id } } }')
    expect(errors.map(({ code }) => code)).toEqual(['FORBIDDEN'])
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByLabel('Secret', { exact: true }).waitFor({ state: 'detached' })
    await expect.poll(() => button.and(page.locator(':focus')).count()).toBe(1)
    await noSidewaysScroll(page)
    expect(sent()).toBe(1)
    const { data } = await acme.call('{ apiKeys { data { label access deviceId } } }')
    expect(data).toEqual({
      apiKeys: { data: [{ label: 'press-7 check-in', access: 'CHECK_IN', deviceId: device.id }] },
    })
  })

  it('K2, F2: neither a Member nor anybody with the feature off is offered one', async ({
    portal,
    ada,
    acme,
    bob,
    device,
  }) => {
    const path = `/${acme.slug}/devices/${device.id}`
    const isOffered = async (person: typeof ada) => {
      const page = await portal.signIn(person, { path })
      await page.getByLabel('Check-in call', { exact: true }).waitFor()
      return (await page.getByRole('button', { name: 'Generate a key' }).count()) > 0
    }
    expect(await isOffered(ada)).toBe(true)
    expect(await isOffered(bob)).toBe(false)
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    expect(await isOffered(ada)).toBe(false)
  })

  it('C10: what is refused is said below the button', async ({ portal, ada, acme, device }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/devices/${device.id}` })
    const button = page.getByRole('button', { name: 'Generate a key for this device' })
    await button.waitFor()
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    await button.click()
    await page.getByRole('alert').getByText('API keys are switched off').waitFor()
  })
})
