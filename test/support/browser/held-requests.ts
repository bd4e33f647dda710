import type { Page } from 'playwright-core'

/** Holds back the requests of a page for these addresses; the result lets them go, and all that follow. */
export async function holdRequests(page: Page, addresses: RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(addresses, async (route) => {
    await released
    await route.fallback()
  })
  return release
}

/** Slow answers: each request for these addresses goes out only when the page has drawn how it looks without it. */
export async function slowDown(page: Page, addresses: RegExp): Promise<void> {
  await page.route(addresses, async (route) => {
    await drawn(page)
    await route.fallback()
  })
}

/** The page has drawn what it has been told to. */
export const drawn = (page: Page) =>
  page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))',
  )
