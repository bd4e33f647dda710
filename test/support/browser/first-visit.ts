import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { countCalls } from '../world/count-calls.ts'
import { fleetOf } from '../world/fleet.ts'
import { makeOlder } from '../world/inserted-keys.ts'
import { webhooksAs } from '../world/webhooks.ts'
import type { Person, TestKey, World } from '../world/world.ts'

const DAY_MS = 86_400_000
/** Longer than anything waits before it loads by itself. */
const LATER_MS = 30_000
const QUIET_LOOKS = 5

/** An organization and a personal account in which every page has something to show, and the path of each. */
export async function busyAccounts(world: World, ada: Person) {
  const acme = await world.organization('Acme', { admin: ada })
  const fleet = fleetOf(acme)
  const device = await fleet.add({ name: 'press-1', tags: ['press'] })
  await fleet.addMany(Array.from({ length: 12 }, (_, i) => `gateway-${i}`))
  await fleet.checkIn(device)
  const key = await acme.generateKey({ label: 'nightly-export' })
  await used(world, key)
  const expiring = { label: 'ci', expiresAt: new Date(Date.now() + 6 * DAY_MS).toISOString() }
  await makeOlder(world, await acme.generateKey(expiring), 60)
  await ada.call('mutation { setApiKeysEnabled(enabled: true) { id } }', {}, ada.personalSlug)
  await used(world, await world.generateKey(ada, { slug: ada.personalSlug }))
  const { webhook } = await webhooksAs(acme.call).create({ events: ['API_KEY_REVOKED'] })
  const pathOf = (route: string) =>
    route
      .replace('$slug/profile', `${ada.personalSlug}/profile`)
      .replace('$slug', acme.slug)
      .replace('devices/$id', `devices/${device}`)
      .replace('api-keys/$id', `api-keys/${key.id}`)
      .replace('webhooks/$id', `webhooks/${webhook.id}`)
  return { acme, key, device, pathOf }
}

const used = (world: World, { id }: TestKey) =>
  countCalls(world.database, [id], { at: Date.now() - DAY_MS / 2, from: '192.0.2.14', agent: 'nightly-export/2.1' })

/** Which scripts a page asks for from now on, each once. */
export function watchScripts(page: Page): ReadonlySet<string> {
  const scripts = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) scripts.add(pathname)
  })
  return scripts
}

/** The page is there, and nothing is under way any more. */
export async function shown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  if (page.url().endsWith('/api-keys')) await page.getByRole('button', { name: 'Generate Key' }).waitFor()
  await page.waitForLoadState('networkidle')
}

/** The page is shown, and all that comes by itself later has come: `page.clock` has to be installed. */
export async function settled(page: Page): Promise<void> {
  let asked = 0
  page.on('request', () => asked++)
  await shown(page)
  await page.clock.runFor(LATER_MS)
  let last = -1
  let looks = 0
  await expect
    .poll(
      () => {
        looks = asked === last ? looks + 1 : 0
        last = asked
        return looks
      },
      { interval: 100 },
    )
    .toBeGreaterThanOrEqual(QUIET_LOOKS)
}
