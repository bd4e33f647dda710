import type { Locator, Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { call } from '../world/http.ts'
import type { Person, TestOrganization } from '../world/world.ts'
import type { Portal } from './portal-page.ts'

/** The panel of an organization, open in a browser of somebody. */
export async function openPanelOf(
  portal: Portal,
  person: Person,
  { slug }: Pick<TestOrganization, 'slug'>,
  options: Parameters<Portal['signIn']>[1] = {},
): Promise<Page> {
  const page = await portal.signIn(person, { path: `/${slug}/users/api-keys`, ...options })
  await panelOf(page).waitFor()
  await page.addInitScript(LOOKS_AGAIN)
  await page.evaluate(LOOKS_AGAIN)
  return page
}

/** Somebody who comes back to the window every second: without that, the list is refreshed less often. */
const LOOKS_AGAIN = `setInterval(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })), 1000)`

export const panelOf = (page: Page): Locator => page.getByRole('dialog', { name: 'API Keys' })

/** A key that has expired, without waiting for it. */
export async function expiredKey({ world }: Portal, by: Person, of: TestOrganization, label: string): Promise<string> {
  const { id } = await world.generateKey(by, of, { label })
  await world.database.transaction((db) =>
    db
      .updateTable('apiKey')
      .set({ expiresAt: Date.now() - 1 })
      .where('id', '=', id)
      .execute(),
  )
  return id
}

/** What the panel says of one key. */
export const rowOf = (page: Page, label: string): Locator =>
  panelOf(page)
    .getByRole('row')
    .filter({ has: page.getByText(label, { exact: true }) })

/** The labels in the order in which they are shown. */
export const labelsIn = async (page: Page): Promise<string[]> => {
  // All in one look: a row that is there at first may be gone at the next.
  const labels = await page.evaluate(`[...document.querySelectorAll('[role=dialog] [data-key] th a')]
    .map((link) => link.textContent)`)
  return labels as string[] // as it is asked for
}

/** Chooses an entry of the menu of a key. */
export async function chooseFor(page: Page, label: string, entry: string): Promise<void> {
  await rowOf(page, label).first().getByRole('button', { name: 'Actions for ' }).click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

/** Presses Generate Key, and reads what is then displayed. */
export async function generate(page: Page, label?: string): Promise<string> {
  if (label) await page.getByLabel('Label').fill(label)
  await page.getByRole('button', { name: 'Generate Key' }).click()
  return page.getByLabel('Secret').inputValue()
}

export const askToRevoke = (page: Page, label: string) => chooseFor(page, label, 'Revoke')

/** A key that was used within a day is revoked only when its label is typed. */
export async function confirmRevokeOf(page: Page, label: string, button = 'Revoke this key'): Promise<void> {
  const confirm = page.getByRole('button', { name: button })
  const typed = page.getByLabel(`Type “${label}” to confirm`)
  await typed.fill('another label')
  expect(await confirm.isDisabled()).toBe(true)
  await typed.fill(label)
  await confirm.click()
}

/** Shorter than a request of the page waits for its answer, by the same clock. */
const STEP_MS = 10_000

/**
 * Installs a clock, and lets time pass on it in steps, each once the requests of the one before are answered: else they
 * would seem to take as long as the clock has gone on.
 */
export async function installClock(page: Page): Promise<(ms: number) => Promise<void>> {
  const waiting = new Set<Request>()
  page.on('request', (request) => waiting.add(request))
  page.on('requestfinished', (request) => waiting.delete(request))
  page.on('requestfailed', (request) => waiting.delete(request))
  const allAnswered = () => expect.poll(() => waiting.size).toBe(0)
  await page.clock.install()
  return async (ms) => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await allAnswered()
      await page.clock.runFor(Math.min(left, STEP_MS))
    }
    await allAnswered()
  }
}

/** How often an operation of this name was sent from now on. */
export function countOf(page: Page, operation: string): () => number {
  let sent = 0
  page.on('request', (request) => {
    if (new RegExp(`(query|mutation) ${operation}\\b`).test(request.postData() ?? '')) sent++
  })
  return () => sent
}

/** From here on, the page does not learn that its person, its organization or the feature has changed. */
export const withoutViewer = (page: Page) =>
  page.route('**/portal/graphql', (route) =>
    route.request().postData()?.includes('query Viewer') ? new Promise<void>(() => undefined) : route.fallback(),
  )

/** A call with a key, under the name of a program. */
export const callAs = (portal: Portal, program: string, secret: string, query: string) =>
  call(`${portal.world.url}/graphql`, { 'api-secret': secret, 'user-agent': program }, query)

/** A dialog has a scroll bar of its own: nothing in it is cut off either. */
export async function noSidewaysScrollInDialogs(page: Page): Promise<void> {
  const beyond = await page.evaluate(
    `[...document.querySelectorAll('[role=dialog]')].map((dialog) => dialog.scrollWidth - dialog.clientWidth)`,
  )
  expect(new Set(beyond as number[]), 'pixels beyond the right edge').toEqual(new Set([0])) // one for each dialog
}
