import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { countCalls } from '../world/count-calls.ts'
import { makeOlder } from '../world/inserted-keys.ts'
import { fieldOf } from '../world/people.ts'
import type { TestKey, World } from '../world/world.ts'

/** The pictures of the README, and beside each the names on the page when it was taken. */
export const PICTURES = join(import.meta.dirname, '..', '..', '..', 'docs', 'images')

const MINUTE = 60_000
const DAY = 86_400_000
const FLEET = ['hamburg-gateway', 'hamburg-camera', 'lyon-gateway', 'lyon-thermometer', 'austin-camera', 'austin-spare']

/** Leads a browser through all that the pictures show, and calls `look` at each. */
export async function visitScenes(
  world: World,
  browser: Browser,
  look: (page: Page, picture: string) => Promise<void>,
): Promise<void> {
  const { ada, acme, used } = await accountOf(world)
  const openPanel = async (page: Page) => {
    await page.goto(`/${acme.slug}/users/api-keys`)
    await page.getByRole('link', { name: 'Nightly export' }).waitFor()
  }
  const shoot = async (page: Page, picture: string) => {
    await page.mouse.move(0, 0)
    await page.waitForLoadState('networkidle')
    await look(page, picture)
  }
  const signedIn = async (viewport: { width: number; height: number }, colorScheme: 'light' | 'dark') => {
    const context = await browser.newContext({ baseURL: world.url, viewport, colorScheme, reducedMotion: 'reduce' })
    await context.request.post('/auth/sign-in', { data: { email: ada.email, password: ada.password } })
    const page = await context.newPage()
    await page.goto(`/${acme.slug}/devices`)
    await page.getByRole('table').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click() // the notice that a key expires soon
    return page
  }

  const desk = await signedIn({ width: 1280, height: 720 }, 'light')
  await shoot(desk, 'devices')
  await openPanel(desk)
  await shoot(desk, 'users-with-api-keys')
  await desk.getByLabel('Label').fill('Fleet dashboard')
  await desk.getByRole('button', { name: 'Generate Key' }).click()
  await desk.getByLabel('Secret', { exact: true }).waitFor()
  await shoot(desk, 'generated-key')
  await desk.getByRole('button', { name: 'I have stored it' }).click()
  await desk.getByRole('button', { name: 'Actions for Nightly export' }).click()
  await desk.getByRole('menuitem', { name: 'Revoke' }).click()
  await desk.getByText('calls in the last 24 hours').waitFor()
  await shoot(desk, 'revoke-key')
  await desk.goto(`/${acme.slug}/api-keys/${used.id}`)
  await desk.getByText('By day').waitFor()
  await shoot(desk, 'one-key')
  await desk.context().close()

  const phone = await signedIn({ width: 360, height: 740 }, 'dark')
  await openPanel(phone)
  await shoot(phone, 'phone')
  await phone.context().close()
}

async function accountOf(world: World) {
  const ada = await world.signUp('Ada Lovelace')
  const acme = await world.organization('Acme Edge', { admin: ada })
  await world.join(acme, await world.signUp('Grace Hopper'), 'ADMIN')
  await world.join(acme, await world.signUp('Alan Turing'), 'MEMBER')
  const used = await acme.generateKey({ label: 'Nightly export' })
  const nightly = world.asKey(used.secret)
  const pipeline = { label: 'CI pipeline', expiresAt: new Date(Date.now() + 20 * DAY).toISOString() }
  await makeOlder(world, await acme.generateKey(pipeline), 100)
  for (let day = 0; day < 30; day++) await callsOf(world, used, day)
  await nightly.call('mutation { generateApiKey(input: { label: "Export to archive" }) { apiKey { id } } }')
  for (const [index, name] of FLEET.entries()) await addDevice(nightly, name, index)
  return { ada, acme, used }
}

/** More on some days than on others, from two places. */
async function callsOf(world: World, { id }: TestKey, day: number): Promise<void> {
  const at = Date.now() - day * DAY
  for (let call = 0; call < 4 + ((day * 7) % 9); call++) {
    const from = call % 3 === 0 ? '192.0.2.14' : '10.20.0.7'
    await countCalls(world.database, [id], { at: at - call * 7 * MINUTE, from, agent: 'nightly-export/2.1' })
  }
}

const NAMED =
  /^\s*- '?((?:heading|dialog|navigation|region|button|link|tab|menuitem|columnheader|textbox|searchbox|combobox|checkbox|radio|switch|option) "(?:[^"\\]|\\.)+")/

const CREATE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
const CHECK_IN = 'mutation ($id: ID!) { checkInDevice(id: $id) { id } }'

async function addDevice(by: ReturnType<World['asKey']>, name: string, index: number): Promise<void> {
  const [site = '', kind = ''] = name.split('-')
  const location = { name: site.charAt(0).toUpperCase() + site.slice(1) }
  const created = await by.call(CREATE, { input: { name, tags: [kind, site], location } })
  if (index % 3 !== 2) await by.call(CHECK_IN, { id: fieldOf<{ id: string }>(created).id })
}

/** The roles and names of what is on a page, a line each, without numbers. */
export async function namesOn(page: Page): Promise<string> {
  const lines = (await page.locator('body').ariaSnapshot()).split('\n')
  const names = lines.flatMap((line) => NAMED.exec(line)?.[1]?.replace(/\d+/g, '#') ?? [])
  return `${[...new Set(names)].join('\n')}\n`
}
