import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import {
  countOf,
  generate,
  noSidewaysScrollInDialogs,
  openPanelOf,
  panelOf,
  rowOf,
  withoutViewer,
} from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, noSidewaysScroll, PHONE } from '../support/browser/portal-page.ts'
import { plainEnv } from '../support/environment.ts'

const run = promisify(execFile)

const storedIt = (page: Page) => page.getByRole('button', { name: 'I have stored it' })

const it = inPanel()

describe('Generate Key', () => {
  it('W4, K4, K1: one click generates an active key and shows its secret', async ({ world, acme, page }) => {
    const secret = await generate(page)
    expect(secret).toMatch(/^emp_[0-9A-Za-z]{49}$/)
    const { data } = await world.asKey(secret).call('{ organization { slug } viewer { role } }')
    expect(data).toEqual({ organization: { slug: acme.slug }, viewer: { role: 'ADMIN' } })
  })

  it('K6, C10: says before and after what the key can do: everything an Admin can, unless less is chosen', async ({
    world,
    page,
    panel,
  }) => {
    const dialog = page.getByRole('dialog', { name: 'Your new key' })
    await panel.getByText('This key can do everything an Admin can.').waitFor()
    await generate(page, 'whole')
    await dialog.getByText('This key can do everything an Admin can.').waitFor()
    await storedIt(page).click()
    await rowOf(page, 'whole').getByText('Admin', { exact: true }).waitFor()

    await page.getByRole('radio', { name: 'Read only' }).check()
    await panel.getByText('This key can read everything an Admin can, but change nothing.').waitFor()
    const secret = await generate(page, 'less')
    await dialog.getByText('This key can read everything an Admin can, but change nothing.').waitFor()
    await storedIt(page).click()
    await rowOf(page, 'less').getByText('Read only', { exact: true }).waitFor()
    const { errors } = await world.asKey(secret).call('mutation { createDevice(input: { name: "x" }) { id } }')
    expect(errors.map(({ code }) => code)).toEqual(['FORBIDDEN'])
    await panel.getByText('This key can do everything an Admin can.').waitFor()
    expect(await page.getByRole('radio', { name: 'Admin' }).isChecked()).toBe(true)
  })

  it('C8: once closed, the secret is nowhere: page, URL, history, storage, requests', async ({ page }) => {
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData()}`))
    const secret = await generate(page, 'ci')
    expect(await everywhere(page)).toContain(secret)
    await storedIt(page).click()
    await page.getByLabel('Secret').waitFor({ state: 'detached' })
    await rowOf(page, 'ci').waitFor()

    const after = await everywhere(page)
    expect(after).toContain(secret.slice(0, 10)) // the start, in the list: it did look
    expect(after).not.toContain(secret)
    expect(sent.join('\n')).not.toContain(secret)
    await page.reload()
    await rowOf(page, 'ci').waitFor()
    expect(await everywhere(page)).not.toContain(secret)
  })

  it('W4: copies the secret, a curl call that works and a .env line, and confirms it', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const page = await openPanelOf(portal, ada, acme, { permissions: ['clipboard-read', 'clipboard-write'] })
    await acme.call('mutation { createDevice(input: { name: "gateway-1" }) { id } }')
    const secret = await generate(page)
    const copied = async (name: string, begin: string) => {
      await page.getByRole('button', { name }).click()
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain(begin)
      return String(await page.evaluate('navigator.clipboard.readText()'))
    }
    expect(await copied('Copy secret', 'emp_')).toBe(secret)
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const curl = await copied('Copy curl', 'curl')
    expect(curl).toContain(`${world.url}/graphql`)
    const { stdout } = await run('sh', ['-c', curl])
    expect(JSON.parse(stdout)).toMatchObject({ data: { devices: { data: [{ name: 'gateway-1' }] } } })
    await page.getByRole('tab', { name: '.env' }).click()
    expect(await copied('Copy .env', 'API_SECRET=')).toBe(`API_SECRET=${secret}`)
  })

  it.for([
    ['Python', 'python3', ['-c']],
    ['JavaScript', process.execPath, ['--input-type=module', '-e']],
  ] as const)(
    'W4: shows a first call in %s that works, without the secret in it',
    async ([name, program, args], { acme, page }) => {
      await acme.call('mutation { createDevice(input: { name: "gateway-2" }) { id } }')
      const secret = await generate(page)
      await page.getByRole('tab', { name }).click()
      const code = await page.getByRole('tabpanel').getByRole('textbox').inputValue()
      expect(code).not.toContain(secret)
      const { stdout } = await run(program, [...args, code], { env: { ...plainEnv(), API_SECRET: secret } })
      expect(stdout).toContain('gateway-2')
    },
  )

  it('W4: shows a step for GitHub Actions whose call works', async ({ acme, page }) => {
    await acme.call('mutation { createDevice(input: { name: "gateway-3" }) { id } }')
    const secret = await generate(page)
    await page.getByRole('tab', { name: 'GitHub Actions' }).click()
    const code = await page.getByRole('tabpanel').getByRole('textbox').inputValue()
    const [, script = ''] = code.split('run: |\n')
    const { stdout } = await run('sh', ['-c', script], { env: { ...plainEnv(), API_SECRET: secret } })
    expect(stdout).toContain('gateway-3')
  })

  it('waits for the first call with the key, and shows when and from where it came', async ({ world, page }) => {
    const secret = await generate(page)
    await page.getByText('Waiting for the first call').waitFor()
    await world.asKey(secret).call('{ viewer { role } }')
    await page.getByText(/First call received from 127\.0\.0\.1, (now|\d+ seconds? ago)/).waitFor()
    expect(await page.getByText('Waiting for the first call').count()).toBe(0)
  })

  it('the row of the key shows its first call at once, when the dialog has shown it', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users/api-keys` })
    const secret = await generate(page, 'ci')
    await rowOf(page, 'ci').getByText('Never used').waitFor({ state: 'attached' })
    await world.asKey(secret).call('{ viewer { role } }')
    await page.getByText('First call received').waitFor()
    await rowOf(page, 'ci').getByText('from 127.0.0.1').waitFor({ state: 'attached', timeout: 5_000 })
  })

  it('reports a revoke of the key while its secret is still shown', async ({ acme, page }) => {
    await generate(page)
    const { data } = await acme.call('{ apiKeys { data { id } } }')
    const [key] = (data as { apiKeys: { data: { id: string }[] } }).apiKeys.data
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key?.id })
    await page.getByText('This key has been revoked.').waitFor()
  })

  it('a double click generates one key', async ({ page }) => {
    const sent = countOf(page, 'GenerateApiKey')
    await page.getByRole('button', { name: 'Generate Key' }).dblclick()
    await storedIt(page).click()
    await panelOf(page).getByText('1 key', { exact: true }).waitFor()
    expect(sent()).toBe(1)
  })

  it('K3: reports in the panel that the feature was switched off, or that there are too many keys', async ({
    portal,
    ada,
    acme,
  }) => {
    const page = await openPanelOf(portal, ada, acme, { mayComplain: /net::ERR_/ })
    const panel = panelOf(page)
    await withoutViewer(page) // the viewer would close the panel while the feature is off
    const refusal = async (words: string) => {
      await page.getByRole('button', { name: 'Generate Key' }).click()
      await panel.getByText(words).waitFor()
      expect(await page.getByLabel('Secret').count()).toBe(0)
    }
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    await refusal('API keys are switched off')
    await acme.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
    for (let i = 0; i < 100; i++) await acme.generateKey({ label: `key ${i}` })
    await refusal('may have 100 active keys')
  })

  it('everything works by keyboard: open, generate, store, revoke, close', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await tabTo(page, 'API Keys')
    await page.keyboard.press('Enter')
    await hasFocus(page, 'Generate Key')
    await tabTo(page, 'Label')
    await page.keyboard.type('ci')
    await page.keyboard.press('Enter')
    await hasFocus(page, 'Copy secret')
    await tabTo(page, 'I have stored it')
    await page.keyboard.press('Enter')
    await rowOf(page, 'ci').waitFor()
    await expect.poll(() => panelHasFocus(page)).toBe(true)
    const askToRevoke = async () => {
      await page.keyboard.press('Enter')
      await hasFocus(page, 'Rename')
      await page.keyboard.press('ArrowUp')
      await hasFocus(page, 'Revoke')
      await page.keyboard.press('Enter')
      await hasFocus(page, 'Cancel')
    }
    await tabTo(page, 'Actions for ci')
    await askToRevoke()
    await page.keyboard.press('Escape') // leaves the panel open, and the focus where it was
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
    await hasFocus(page, 'Actions for ci')
    await askToRevoke()
    await tabTo(page, 'Revoke this key')
    await page.keyboard.press('Enter')
    await page.getByText('No keys yet').waitFor()
    await expect.poll(() => panelHasFocus(page)).toBe(true)
    await tabTo(page, 'Generate Key')
    await page.keyboard.press('Escape')
    await panelOf(page).waitFor({ state: 'detached' })
    await hasFocus(page, 'API Keys')
  })

  it('the dialog is accessible, before and after the first call, and fits a phone', async ({ world, page }) => {
    const secret = await generate(page)
    await expectAccessible(page)
    await world.asKey(secret).call('{ viewer { role } }')
    await page.getByText('First call received').waitFor()
    await page.evaluate('history.pushState({}, "", "?elsewhere")')
    await page.evaluate('history.back()')
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScroll(page)
    await noSidewaysScrollInDialogs(page)
    expect(await storedIt(page).isVisible()).toBe(true)
  })
})

/** Everything that a page holds and that would outlive its memory. */
const everywhere = async (page: Page): Promise<string> =>
  [
    page.url(),
    await page.content(),
    await page.evaluate(`[...document.querySelectorAll('input, textarea')].map((field) => field.value).join(' ')`),
    await page.evaluate(
      'JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }, document.cookie, name])',
    ),
  ].join('\n')

/** The name of what has the focus. */
const focused = (page: Page) =>
  page.evaluate(`(() => {
    const element = document.activeElement
    return element.labels?.[0]?.textContent || element.ariaLabel || element.textContent
  })()`)

const panelHasFocus = (page: Page) =>
  page.evaluate(`document.querySelector('[role=dialog]').contains(document.activeElement)`)

const hasFocus = (page: Page, name: string) => expect.poll(() => focused(page)).toBe(name)

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    if ((await focused(page)) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Not reached by Tab: ${name}`)
}
