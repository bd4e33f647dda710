import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, inject, onTestFinished } from 'vitest'
import { type Person, startWorld } from '../world/world.ts'
import { builtWeb } from './built-web.ts'
import { ownBrowser } from './own-browser.ts'
import { SCREENS } from './screens.ts'

export const { viewport: PHONE } = SCREENS.phone
/** For what a phone has no room for: columns, and the menu of a row. */
export const WIDE = { viewport: SCREENS.light.viewport }

interface PageOptions extends BrowserContextOptions {
  path?: string
  /** Console lines that this test brings about on purpose; the browser's own line for a refusal (4xx) is always one. */
  mayComplain?: RegExp
}

export type Portal = Awaited<ReturnType<typeof openPortal>>

/** A real portal with its web interface, and a browser to look at it. */
export async function openPortal({ env = {} }: { env?: Record<string, string> } = {}) {
  const { webDir, remove } = await builtWeb()
  const world = await startWorld({ webDir, now: Date.now, env, tuning: { usageFlushMs: 200 } })
  const browser = await ownBrowser()

  /** A browser of its own for nobody yet: no cookie, no storage. It is closed with the test, and any complaint of the page fails it. */
  async function open({ path = '/', mayComplain, ...options }: PageOptions = {}): Promise<Page> {
    const { page } = await openContext(options, mayComplain)
    await page.goto(path)
    return page
  }

  /** A browser of its own, signed in with a session of its own. */
  async function signIn(
    { email, password }: Pick<Person, 'email' | 'password'>,
    { path = '/', mayComplain, ...options }: PageOptions = {},
  ): Promise<Page> {
    const { context, page } = await openContext(options, mayComplain)
    const answer = await context.request.post('/auth/sign-in', { data: { email, password } })
    if (!answer.ok()) throw new Error(`Not signed in: ${await answer.text()}`)
    await page.goto(path)
    return page
  }

  async function openContext(options: BrowserContextOptions, mayComplain?: RegExp) {
    const context = await browser.newContext({
      baseURL: world.url,
      reducedMotion: 'reduce',
      ...inject('screen'),
      ...options,
    })
    const complaints = complaintsOf(context, world.url, mayComplain)
    onTestFinished(async () => {
      await context.close()
      if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join('\n')}`)
    })
    return { context, page: await context.newPage() }
  }

  return {
    ...world,
    world,
    webDir,
    open,
    signIn,
    close: async () => {
      await world.close()
      remove()
    },
  }
}

const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/
/** Another process gave this machine a network interface, or took one away; the page asks again by itself. */
const NETWORK_CHANGED = /net::ERR_NETWORK_CHANGED/

/** Console errors and warnings, errors that nobody caught, and requests to other hosts. */
function complaintsOf(context: BrowserContext, url: string, mayComplain?: RegExp): string[] {
  const complaints: string[] = []
  const complain = (kind: string, words: string) => {
    if (![REFUSAL, NETWORK_CHANGED, mayComplain].some((known) => known?.test(words)))
      complaints.push(`${kind}: ${words}`)
  }
  context.on('console', (line) => {
    if (['error', 'warning', 'assert'].includes(line.type())) complain(`console ${line.type()}`, line.text())
  })
  context.on('weberror', (thrown) => complain('page error', thrown.error().stack || thrown.error().message))
  context.on('request', (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(data|blob):/.test(request.url())
    if (!isOwn) complain('another host', request.url())
  })
  return complaints
}

/** The title of a page. */
export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Without a connection from here on: the browser takes a moment, and a request of that moment would still arrive. */
export async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await expect.poll(() => isConnected(page)).toBe(false)
}

export async function goOnline(page: Page): Promise<void> {
  await page.context().setOffline(false)
  await expect.poll(() => isConnected(page)).toBe(true)
}

const isConnected = (page: Page) => page.evaluate('fetch("/health/live").then(() => true, () => false)')

/** The small one: each page compiles it anew. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

interface Violation {
  id: string
  help: string
  nodes: { target: string[]; failureSummary: string }[]
}

/** Nothing that axe knows of keeps anybody out: names, roles, contrast, order. */
async function noViolations(page: Page): Promise<void> {
  await settled(page)
  const isLoaded = await page.evaluate('typeof axe !== "undefined"')
  if (!isLoaded) await page.evaluate(AXE) // through the debugger: the page's own policy stays as strict as it is
  const violations = (await page.evaluate(
    'axe.run(document, { preload: false, resultTypes: ["violations"] }).then((found) => found.violations)',
  )) as Violation[] // as axe has it
  expect(
    violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`),
    })),
  ).toEqual([])
}

/** Nothing is cut off or has to be dragged into view. */
export async function noSidewaysScroll(page: Page): Promise<void> {
  const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(beyond, `pixels beyond the right edge of ${page.url()}`).toBeLessThanOrEqual(0)
  expect(await page.evaluate(CUT_OFF), `cut off on ${page.url()}`).toEqual([])
}

/** The words of buttons that have too little room; not those that end in an ellipsis, or are meant for the ear alone. */
const CUT_OFF = `[...document.querySelectorAll('button *')]
  .filter((part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth)
  .filter((part) => getComputedStyle(part).overflowX !== 'visible' && getComputedStyle(part).textOverflow !== 'ellipsis')
  .map((part) => part.textContent)`

/** What moves has come to rest: a colour half way between two is nobody's contrast. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter((moving) => moving.effect?.getComputedTiming().endTime !== Infinity)
    .map((moving) => moving.finished)).then(() => undefined)`)
}

/** Both checks as the page stands, on the screen that the test runs on: see screens.ts. */
export async function expectAccessible(page: Page): Promise<void> {
  await noViolations(page)
  await noSidewaysScroll(page)
}
