import type { Page, Route } from 'playwright-core'
import { describe, expect } from 'vitest'
import { chooseFor, countOf, noSidewaysScrollInDialogs, rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'
import { joined } from '../support/world/people.ts'
import type { TestOrganization } from '../support/world/world.ts'

/** Ways in which the answer of a portal that has done its work does not arrive. */
const CUT: [string, (route: Route) => Promise<void>][] = [
  ['the connection is cut', (route) => route.abort('connectionreset')],
  ['a proxy answers with a page of its own', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' })],
  ['half of it arrives', (route) => route.fulfill({ contentType: 'application/json', body: '{"data":{"generateA' })],
  ['nothing is in it', (route) => route.fulfill({ contentType: 'application/json', body: '' })],
  ['it is no answer of GraphQL', (route) => route.fulfill({ json: { ok: true } })],
  ['it holds neither data nor an error', (route) => route.fulfill({ json: { data: { generateApiKey: null } } })],
  ['nothing is in its data', (route) => route.fulfill({ json: { data: {} } })],
  ['the key in it is empty', (route) => route.fulfill({ json: { data: { generateApiKey: { apiKey: {} } } } })],
  [
    'the secret in it is empty',
    (route) => route.fulfill({ json: { data: { generateApiKey: { secret: '', apiKey: { id: 'x', label: 'ci' } } } } }),
  ],
]

const mayComplain = /net::ERR_|status of 50/

const it = inPanel({ mayComplain })

describe('a secret that was not received', () => {
  /** The portal gets the operation once and does it; what the browser gets is something else. */
  async function cutOff(page: Page, operation: string, answer: (route: Route) => Promise<void>): Promise<void> {
    let isDone = false
    await page.route('**/portal/graphql', async (route) => {
      if (isDone || !route.request().postData()?.includes(`mutation ${operation}`)) return route.fallback()
      isDone = true
      await route.fetch()
      await answer(route)
    })
  }

  async function keysOf(acme: TestOrganization) {
    const { data } = await acme.call('{ apiKeys { data { id label prefix } } }')
    return (data as { apiKeys: { data: { id: string; label: string; prefix: string }[] } }).apiKeys.data
  }

  it.for(CUT)(
    'Generate Key: when %s, it says so, marks the key, and offers another',
    async ([_how, answer], { world, acme, page, panel }) => {
      await panel.getByText('No keys yet').waitFor()
      await cutOff(page, 'GenerateApiKey', answer)
      await page.getByLabel('Label').fill('ci')
      await page.getByRole('button', { name: 'Generate Key' }).click()
      await panel.getByText('The secret was not received').waitFor()
      await panel.getByText('was generated, but its secret did not arrive').waitFor()
      await rowOf(page, 'ci').getByText('Secret not received').waitFor()
      const { y = -1 } = (await panel.getByText('The secret was not received').boundingBox()) ?? {}
      expect(y, 'in sight').toBeGreaterThan(0)
      const [lost] = await keysOf(acme)

      await panel.getByRole('button', { name: 'Revoke it and generate another' }).click()
      const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
      const left = await keysOf(acme)
      expect(left.map(({ label, prefix }) => [label, prefix])).toEqual([['ci', secret.slice(0, 10)]])
      expect(left[0]?.id).not.toBe(lost?.id)
      expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(200)
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await panel.getByText('The secret was not received').waitFor({ state: 'detached' })
    },
  )

  it('C10: what was chosen stays, so that the next one is no wider key', async ({ acme, page, panel }) => {
    let isCut = false
    await page.route('**/portal/graphql', (route) => {
      if (isCut || !route.request().postData()?.includes('mutation')) return route.fallback()
      isCut = true
      return route.abort()
    })
    await page.getByLabel('Label').fill('ci')
    await page.getByRole('button', { name: 'Options', exact: true }).click()
    await page.getByRole('radio', { name: /^Read only/ }).check()
    await page.getByLabel('Requests per day').fill('70')
    await page.getByRole('button', { name: 'Fewer options' }).click()
    await page.getByRole('button', { name: 'Options', exact: true }).click()
    await page.getByRole('button', { name: 'Generate Key' }).click()
    await panel.getByText('The secret was not received').waitFor()
    await page.getByRole('button', { name: 'Generate Key' }).click()
    await page.getByLabel('Secret', { exact: true }).waitFor()
    const { data } = await acme.call('{ apiKeys { data { label access requestsPerDay } } }')
    expect(data).toEqual({ apiKeys: { data: [{ label: 'ci', access: 'READ_ONLY', requestsPerDay: 70 }] } })
  })

  it('what cannot be loaded is reported, and the page stays with what was typed', async ({ page, panel }) => {
    await page.getByLabel('Label').fill('ci')
    await page.route('**/KeyOptions-*.js', (route) => route.abort())
    await page.getByRole('button', { name: 'Options', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor()
    expect(await panel.getByLabel('Label').inputValue()).toBe('ci')
    await page.getByRole('button', { name: 'Generate Key' }).waitFor()
  })

  it('when no key was generated, it says that too', async ({ acme, page, panel }) => {
    await page.route('**/portal/graphql', (route) =>
      route.request().postData()?.includes('mutation') ? route.abort() : route.fallback(),
    )
    await page.getByRole('button', { name: 'Generate Key' }).click()
    await panel.getByText('It is not in the list. Generate another key').waitFor()
    expect(await keysOf(acme)).toEqual([])
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
    await panel.getByRole('alert').getByRole('button', { name: 'Close' }).click()
    await panel.getByText('The secret was not received').waitFor({ state: 'detached' })
  })

  it('an earlier key of the same label, or one that somebody else generates, is not mistaken for it', async ({
    world,
    acme,
    page,
    panel,
  }) => {
    const grace = await joined(world, acme, 'Grace', 'ADMIN')
    await acme.generateKey({ label: 'ci' })
    await rowOf(page, 'ci').waitFor()
    await page.route('**/portal/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation')) return route.fallback()
      await world.generateKey(grace, acme, { label: 'ci' })
      await route.abort()
    })
    await page.getByLabel('Label').fill('ci')
    await page.getByRole('button', { name: 'Generate Key' }).click()
    await panel.getByText('It is not in the list').waitFor()
    expect(await page.getByText('Secret not received').count()).toBe(0)
  })

  it('Rotate: the same, and in the end one new key replaces the old one', async ({ acme, page, panel }) => {
    const old = await acme.generateKey({ label: 'ci' })
    await chooseFor(page, 'ci', 'Rotate')
    const rotations = countOf(page, 'RotateApiKey')
    await cutOff(page, 'RotateApiKey', (route) => route.abort('connectionreset'))
    await page.getByRole('button', { name: 'Rotate key' }).click()
    await panel.getByText('was generated, but its secret did not arrive').waitFor()
    await panel.getByRole('button', { name: 'Revoke it and generate another' }).click()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    expect(rotations()).toBe(2)
    expect((await keysOf(acme)).map(({ prefix }) => prefix).sort()).toEqual(
      [old.secret.slice(0, 10), secret.slice(0, 10)].sort(),
    )
  })

  it('Rotate: the same when the answer has no secret', async ({ acme, page, panel }) => {
    await acme.generateKey({ label: 'ci' })
    await chooseFor(page, 'ci', 'Rotate')
    await cutOff(page, 'RotateApiKey', (route) =>
      route.fulfill({ json: { data: { rotateApiKey: { apiKey: { id: 'x', label: 'ci' } } } } }),
    )
    await page.getByRole('button', { name: 'Rotate key' }).click()
    await panel.getByText('was generated, but its secret did not arrive').waitFor()
  })

  it('the page of a key does the same', async ({ portal, ada, acme }) => {
    const { id } = await acme.generateKey({ label: 'ci' })
    const page = await portal.signIn(ada, { path: `/${acme.slug}/api-keys/${id}`, mayComplain })
    await page.getByRole('button', { name: 'Rotate' }).click()
    await cutOff(page, 'RotateApiKey', (route) => route.fulfill({ status: 504, body: 'timeout' }))
    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('button', { name: 'Revoke it and generate another' }).click()
    await page.getByLabel('Secret', { exact: true }).waitFor()
    expect(await keysOf(acme)).toHaveLength(2)
  })

  it('any other change reports that its outcome is unknown', async ({ acme, page, panel }) => {
    await acme.generateKey({ label: 'old' })
    await chooseFor(page, 'old', 'Rename')
    await cutOff(page, 'RenameApiKey', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
    await page.getByRole('textbox', { name: 'New label for old' }).fill('new')
    await page.keyboard.press('Enter')
    const words =
      'Unexpected response (status 502). Your change may or may not have been saved. Check before you try again.'
    await panel.getByText(words).waitFor()
  })
})
