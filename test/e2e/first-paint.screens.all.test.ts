import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { drawn, holdRequests } from '../support/browser/held-requests.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { heading, noSidewaysScroll, PHONE, WIDE } from '../support/browser/portal-page.ts'

const ASSETS = /\/assets\/[\w-]+\.(?:js|css)$/
const WHITE = 'rgb(255, 255, 255)'
const DARK = 'rgb(15, 17, 22)'

/** Writes down the colour behind the page for every frame that the browser draws. */
const WATCH_COLOURS = `window.colours = new Set()
const look = () => {
  if (document.body) colours.add(getComputedStyle(document.body).backgroundColor)
  requestAnimationFrame(look)
}
look()`

const it = inPortal()

const SCREENS = [
  { screen: 'desktop', ...WIDE, colorScheme: 'light' as const, colour: WHITE },
  { screen: 'desktop', ...WIDE, colorScheme: 'dark' as const, colour: DARK },
  { screen: 'phone', viewport: PHONE, colorScheme: 'light' as const, colour: WHITE },
  { screen: 'phone', viewport: PHONE, colorScheme: 'dark' as const, colour: DARK },
]

describe('before its scripts and stylesheets have come', () => {
  it.for(SCREENS)(
    'a page shows its frame, in its colours from the first frame on: $screen, $colorScheme',
    async ({ viewport, colorScheme, colour }, { portal, ada, acme }) => {
      const page = await portal.signIn(ada, { path: 'about:blank', viewport, colorScheme })
      await page.addInitScript(WATCH_COLOURS)
      const release = await holdRequests(page, ASSETS)
      await page.goto(`/${acme.slug}/devices`, { waitUntil: 'commit' })
      await isPainted(page)
      await page.getByRole('status', { name: 'Loading' }).getByText('Edge Management Portal').waitFor()
      expect(await page.getByRole('status', { name: 'Loading' }).getByRole('banner').isVisible()).toBe(true)
      await noSidewaysScroll(page)
      release()
      await heading(page, 'Devices').waitFor()
      await drawn(page)
      expect(await page.evaluate('[...colours]')).toEqual([colour])
    },
  )

  it('the sign-in page shows its frame', async ({ portal }) => {
    const page = await portal.open({ path: 'about:blank' })
    const release = await holdRequests(page, ASSETS)
    await page.goto('/sign-in', { waitUntil: 'commit' })
    await isPainted(page)
    await page.getByRole('status', { name: 'Loading' }).getByText('Edge Management Portal').waitFor()
    await noSidewaysScroll(page)
    release()
    await heading(page, 'Sign in').waitFor()
  })

  it('the colours are those that were chosen, whatever the system prefers', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: '/sign-in', colorScheme: 'light' })
    await page.evaluate('localStorage.setItem("mantine-color-scheme-value", "dark")')
    await page.addInitScript(WATCH_COLOURS)
    const release = await holdRequests(page, ASSETS)
    await page.goto(`/${acme.slug}/devices`, { waitUntil: 'commit' })
    await isPainted(page)
    release()
    await heading(page, 'Devices').waitFor()
    expect(await page.evaluate('[...colours]')).toEqual([DARK])
  })

  it('its first data has been asked for, and is not asked for again', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: 'about:blank' })
    const asked: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes('query Viewer')) asked.push(request.headers()['portal-organization'])
    })
    const release = await holdRequests(page, ASSETS)
    await page.goto(`/${acme.slug}/devices`, { waitUntil: 'commit' })
    await expect.poll(() => asked).toEqual([acme.slug])
    release()
    await heading(page, 'Devices').waitFor()
    await page.waitForLoadState('networkidle')
    expect(asked).toEqual([acme.slug])
  })

  it.for([WIDE, { viewport: PHONE }])(
    'without JavaScript a sentence says that it is needed: $viewport.width',
    async (screen, { portal }) => {
      for (const path of ['/sign-in', '/acme/devices']) {
        const page = await portal.open({ path, ...screen, javaScriptEnabled: false })
        const words = page.locator('noscript p') // which no role or text leads to
        await words.waitFor()
        expect(await words.innerText()).toContain('needs JavaScript')
        expect((await words.boundingBox())?.y).toBeLessThan(200)
        expect(await page.getByRole('status', { name: 'Loading' }).isVisible()).toBe(false)
      }
    },
  )
})

/** The browser says itself that there is something to see. */
const isPainted = (page: Page) =>
  expect.poll(() => page.evaluate('performance.getEntriesByName("first-contentful-paint").length')).toBe(1)
