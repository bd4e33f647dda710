import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { heading, PHONE, WIDE } from '../support/browser/portal-page.ts'

const it = inPortalOrganization()

describe('how every page looks', () => {
  it('the header begins and ends where the page below it does, on a wide screen too', async ({ portal, ada, acme }) => {
    for (const width of [WIDE.viewport.width, 1920]) {
      const page = await portal.signIn(ada, { path: `/${acme.slug}/audit`, viewport: { width, height: 900 } })
      await heading(page, 'Audit').waitFor()
      const logo = await page.getByRole('link', { name: 'Home' }).boundingBox()
      const title = await heading(page, 'Audit').boundingBox()
      expect(logo?.x).toBe(title?.x)
    }
  })

  it('a page with a scroll bar begins where one without begins', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/audit` })
    expect(await page.evaluate('getComputedStyle(document.documentElement).scrollbarGutter')).toBe('stable')
  })

  it('a dialog reaches the edge of the window, and nothing behind it moves', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users`, ...WIDE })
    const invite = page.getByRole('button', { name: 'Invite' })
    const before = await invite.boundingBox()
    await page.getByRole('link', { name: 'API Keys' }).click()
    const panel = await page.getByRole('dialog', { name: 'API Keys' }).boundingBox()
    expect((panel?.x ?? 0) + (panel?.width ?? 0)).toBe(WIDE.viewport.width)
    expect(await page.locator('button', { hasText: 'Invite' }).boundingBox()).toEqual(before)
  })

  it('the typefaces come from the portal, are asked for with the page, and are there', async ({
    portal,
    ada,
    acme,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/audit` })
    await heading(page, 'Audit').waitFor()
    const preloaded = '[...document.querySelectorAll("link[rel=preload][as=font]")].map(({ href }) => href)'
    const urls = (await page.evaluate(preloaded)) as string[]
    expect(urls).toHaveLength(2)
    for (const url of urls) {
      const font = await page.request.get(url)
      expect(font.headers()).toMatchObject({
        'content-type': 'font/woff2',
        'cache-control': expect.stringContaining('immutable'),
      })
    }
    await expect.poll(() => page.evaluate('document.fonts.check("14px Geist")')).toBe(true)
    expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toMatch(/^Geist,/)
  })

  it('words have one of five sizes, in dialogs too', async ({ portal, ada, acme }) => {
    const sizes = `[...new Set([...document.querySelectorAll('main *, [role=dialog] *')]
      .filter((each) => each.offsetParent && [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim()))
      .map((each) => getComputedStyle(each).fontSize))]`
    const page = await portal.signIn(ada, { path: `/${acme.slug}/settings` })
    for (const [path, shown] of [
      ['settings', 'Require a label'],
      ['profile', '12 characters or more.'],
      ['api', '3. Call the API'],
      ['audit', 'Export CSV'],
      ['devices', 'No devices yet'],
    ] as const) {
      await page.goto(`/${acme.slug}/${path}`)
      await page.getByText(shown).first().waitFor()
      if (path === 'devices') {
        await page.getByRole('button', { name: 'Add device' }).click()
        await page.getByText('No other device may have the same name.').waitFor()
      }
      const others = ((await page.evaluate(sizes)) as string[]).filter(
        (size) => !['12px', '13px', '14px', '16px', '22px'].includes(size),
      )
      expect(others, path).toEqual([])
    }
  })

  it('a section is beside its title on a desktop, and below it on a phone', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/profile`, ...WIDE })
    const title = page.getByRole('heading', { name: 'Password' })
    const field = page.getByLabel('Current password')
    await field.waitFor()
    const [beside, at] = [await field.boundingBox(), await title.boundingBox()]
    expect(beside?.x).toBeGreaterThan((at?.x ?? 0) + (at?.width ?? 0))
    await page.setViewportSize(PHONE)
    await expect.poll(async () => (await field.boundingBox())?.x).toBe((await title.boundingBox())?.x)
  })

  it('the page for signing in says what this is', async ({ portal }) => {
    const page = await portal.open({ path: '/sign-in' })
    await page.getByText(/^The devices that you run at the edge, and the API keys/).waitFor()
  })

  it('nothing moves for who wants less motion, and 120 ms for others', async ({ portal, ada, acme }) => {
    const path = `/${acme.slug}/users/api-keys`
    const moving = `[...document.querySelectorAll('*')].map((each) => getComputedStyle(each))
      .flatMap(({ animationName, animationDuration, transitionDuration }) =>
        [animationName === 'none' ? '0s' : animationDuration, ...transitionDuration.split(', ')])`
    const motion = async (reducedMotion: 'reduce' | 'no-preference') => {
      const page = await portal.signIn(ada, { path, reducedMotion })
      await page.getByRole('button', { name: 'Generate Key' }).waitFor()
      return [...new Set((await page.evaluate(moving)) as string[])].filter((time) => Number.parseFloat(time) > 0)
    }
    expect(await motion('reduce')).toEqual([])
    expect(await motion('no-preference')).toContain('0.12s')
  })
})
