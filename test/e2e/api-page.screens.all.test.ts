import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, PHONE, WIDE } from '../support/browser/portal-page.ts'

const it = inPortalOrganization()

describe('the page API', () => {
  it('is in the navigation, and leads from the endpoint to a key and a first call', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/devices`, ...WIDE })
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API', exact: true }).click()
    await heading(page, 'API').waitFor()
    await expect.poll(() => page.title()).toBe('API · Acme · Edge Management Portal')
    expect(await page.getByRole('textbox', { name: 'Endpoint' }).inputValue()).toBe(`${portal.url}/graphql`)
    expect(await page.getByLabel('Command', { exact: true }).inputValue()).toMatch(/^read -rs API_SECRET/)
    expect(await page.getByLabel('curl sample', { exact: true }).inputValue()).toContain(`curl ${portal.url}/graphql`)
    for (const [name, href] of [
      ['Guide', '/docs/api'],
      ['Webhooks', '/docs/webhooks'],
      ['Errors', '/docs/errors'],
      ['Limits', '/docs/api#limits'],
      ['schema.graphql', '/schema.graphql'],
    ] as const) {
      expect(await page.getByRole('link', { name, exact: true }).getAttribute('href')).toBe(href)
    }
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Generate an API key' }).click()
    await page.getByRole('button', { name: 'Generate Key' }).waitFor()
  })

  it('has a sample in each language, by keyboard, with the language in the address', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/api?sample=klingon` })
    const shown = (name: string) => page.getByLabel(`${name} sample`, { exact: true })
    await shown('curl').waitFor()
    await page.getByRole('link', { name: 'curl', exact: true }).focus()
    for (const [name, id] of [
      ['JavaScript', 'javascript'],
      ['Python', 'python'],
      ['Go', 'go'],
      ['GitHub Actions', 'ci'],
    ] as const) {
      await page.getByRole('link', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
      await shown(name).waitFor()
      expect(await shown(name).inputValue()).toContain('API_SECRET')
      await page.waitForURL(`**/api?sample=${id}`)
    }
    await page.reload()
    await shown('GitHub Actions').waitFor()
    await expectAccessible(page)
  })

  it('copies what is shown', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, {
      path: `/${acme.slug}/api?sample=python`,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy Python sample' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`"${portal.url}/graphql"`)
  })

  it('sends a Member to an Admin, and an Admin without keys to the settings', async ({ portal, ada, acme, bob }) => {
    const asMember = await portal.signIn(bob, { path: `/${acme.slug}/api` })
    await asMember.getByText('Ask an Admin of this organization for an API key.').waitFor()
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    const asAdmin = await portal.signIn(ada, { path: `/${acme.slug}/api` })
    await asAdmin.getByText('API keys are switched off.').waitFor()
    await asAdmin.getByRole('main').getByRole('link', { name: 'Settings' }).click()
    await heading(asAdmin, 'Settings').waitFor()
  })
})
