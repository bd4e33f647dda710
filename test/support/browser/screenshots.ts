import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../../../scripts/browser/launch-browser.ts'
import { countCalls } from '../world/count-calls.ts'
import { makeOlder } from '../world/inserted-keys.ts'
import { startWorld } from '../world/world.ts'
import { builtWeb } from './built-web.ts'

// Run by `npm run screenshots`: takes the pictures of the README from a running portal.
const FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'images')
const MINUTE = 60_000
const DAY = 86_400_000
const FLEET = ['hamburg-gateway', 'hamburg-camera', 'lyon-gateway', 'lyon-thermometer', 'austin-camera', 'austin-spare']

const { webDir, remove } = await builtWeb()
const world = await startWorld({ webDir, now: Date.now })
const ada = await world.signUp('Ada Lovelace')
const acme = await world.organization('Acme Edge', { admin: ada })
await world.join(acme, await world.signUp('Grace Hopper'), 'ADMIN')
await world.join(acme, await world.signUp('Alan Turing'), 'MEMBER')
const used = await world.generateKey(ada, acme, { label: 'Nightly export' })
const nightly = world.asKey(used.secret)
const pipeline = { label: 'CI pipeline', expiresAt: new Date(Date.now() + 20 * DAY).toISOString() }
await makeOlder(world, await world.generateKey(ada, acme, pipeline), 100)
for (let day = 0; day < 30; day++) await callsOf(day)
await nightly.call('mutation { generateApiKey(input: { label: "Export to archive" }) { apiKey { id } } }')
for (const [index, name] of FLEET.entries()) await addDevice(name, index)

const browser = await launchBrowser()
mkdirSync(FOLDER, { recursive: true })
try {
  const desk = await signedIn({ width: 1280, height: 720 }, 'light')
  await visit(desk, 'devices', 'devices')
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
  const phone = await signedIn({ width: 360, height: 740 }, 'dark')
  await openPanel(phone)
  await shoot(phone, 'phone')
} finally {
  await browser.close()
  await world.close()
  remove()
}

/** More on some days than on others, from two places. */
async function callsOf(day: number): Promise<void> {
  const at = Date.now() - day * DAY
  for (let call = 0; call < 4 + ((day * 7) % 9); call++) {
    const from = call % 3 === 0 ? '192.0.2.14' : '10.20.0.7'
    await countCalls(world.database, [used.id], { at: at - call * 7 * MINUTE, from, agent: 'nightly-export/2.1' })
  }
}

async function addDevice(name: string, index: number): Promise<void> {
  const [site = '', kind = ''] = name.split('-')
  const location = { name: site.charAt(0).toUpperCase() + site.slice(1) }
  const create = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
  const { data } = await nightly.call(create, { input: { name, tags: [kind, site], location } })
  const { id } = (data as { createDevice: { id: string } }).createDevice
  if (index % 3 !== 2) await nightly.call('mutation ($id: ID!) { checkInDevice(id: $id) { id } }', { id })
}

async function signedIn(viewport: { width: number; height: number }, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({ baseURL: world.url, viewport, colorScheme, reducedMotion: 'reduce' })
  await context.request.post('/auth/sign-in', { data: { email: ada.email, password: ada.password } })
  return context.newPage()
}

async function visit(page: Page, path: string, picture: string): Promise<void> {
  await page.goto(`/${acme.slug}/${path}`)
  await page.getByRole('table').waitFor()
  await shoot(page, picture)
}

async function openPanel(page: Page): Promise<void> {
  await page.goto(`/${acme.slug}/users/api-keys`)
  await page.getByRole('link', { name: 'Nightly export' }).waitFor()
}

async function shoot(page: Page, picture: string): Promise<void> {
  await page.mouse.move(0, 0)
  await page.screenshot({ path: join(FOLDER, `${picture}.png`), animations: 'disabled' })
}
