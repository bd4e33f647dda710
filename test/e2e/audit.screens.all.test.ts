import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'
import type { World } from '../support/world/world.ts'

const DAY_MS = 86_400_000
const CREATE_DEVICE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'

const events = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem')
const sentence = (page: Page, words: string) => events(page).filter({ hasText: words })
const inAddress = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

/** Something has happened in Acme: Bob has joined, and there was a key. */
const it = inPortal()
  .extend('acme', { scope: 'file' }, async ({ world, ada, bob }) => {
    const acme = await world.organization('Acme', { admin: ada })
    await world.join(acme, bob, 'MEMBER')
    const key = await acme.generateKey()
    await world.asKey(key.secret).call(CREATE_DEVICE, { name: 'pump' })
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
    return acme
  })
  .extend('auditOf', ({ portal, ada }) => async ({ slug }: { slug: string }, search = '', person = ada) => {
    const page = await portal.signIn(person, { path: `/${slug}/audit${search}` })
    await page.getByRole('heading', { name: 'Audit' }).waitFor()
    return page
  })

describe('the audit page', () => {
  const dayFromNow = (days: number) => {
    const at = new Date(Date.now() + days * DAY_MS)
    return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
  }

  it('says who did what in plain English, the newest first', async ({ acme, auditOf }) => {
    const page = await auditOf(acme)
    await expect.poll(() => events(page).count()).toBe(7)
    const said = (await events(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(said[0]).toMatch(/^Ada revoked the API key ci .*(ago|now)$/)
    expect(said[1]).toMatch(/^API key ci added the device pump/)
    expect(said[2]).toMatch(/^Ada generated the API key ci/)
    expect(said[3]).toMatch(/^Bob joined as Member/)
    expect(said[4]).toMatch(/^Ada invited bob-\d+@example.com as Member/)
    expect(said[5]).toMatch(/^Ada switched API keys on active keys: 0/)
    expect(said[6]).toMatch(/^Ada created the account Acme/)
  })

  it('describes rotations, changes of many keys and rules in words, without their ids', async ({
    world,
    ada,
    auditOf,
  }) => {
    const umbrella = await world.organization('Umbrella', { admin: ada })
    const ids: string[] = []
    for (let i = 0; i < 12; i++) ids.push((await umbrella.generateKey({ label: `key ${i}` })).id)
    const [first = ''] = ids
    const act = (mutation: string) => umbrella.call(`mutation { ${mutation} }`)
    await act(`rotateApiKey(id: "${first}", overlapSeconds: 3600) { secret }`)
    await act('setApiKeyPolicy(input: { expiryRequired: true }, applyToExisting: [EXPIRY_REQUIRED]) { expiryRequired }')
    await act('revokeApiKeys(input: { all: true }) { ids }')
    const page = await auditOf(umbrella)
    await expect.poll(() => events(page).count()).toBeGreaterThan(14)
    const said = (await events(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(said[0]).toMatch(/^Ada revoked 13 API keys: key 0, key 1, key 2 and 10 more all .*(ago|now)$/)
    const shortened = said.filter((text) =>
      /^Ada changed .* the API key key \d+ expires earlier, by the policy/.test(text),
    )
    expect(shortened).toHaveLength(12)
    const [policy, rotation] = said.slice(1).filter((text) => !shortened.includes(text))
    expect(policy).toMatch(
      /^Ada changed the API key policy expiration required: yes, was no; expiry required applied to 12 keys .*(ago|now)$/,
    )
    expect(rotation).toMatch(/^Ada rotated the API key key 0 the old secret works for 1 hour .*(ago|now)$/)
    expect(said.filter((text) => /[0-9a-z]{26}/.test(text))).toEqual([])
    await expectAccessible(page)
  })

  it('an action that this version does not know is shown as such', async ({ world, ada, auditOf }) => {
    const globex = await world.organization('Globex', { admin: ada, apiKeys: false })
    await world.database.transaction((db) =>
      db.updateTable('auditEvent').set({ action: 'moon.landed' }).where('organizationId', '=', globex.id).execute(),
    )
    const page = await auditOf(globex)
    await sentence(page, 'Ada did something this version of the portal does not recognize: Globex').waitFor()
  })

  it('filters by action and by actor, in the URL: reload and Back restore it', async ({ acme, bob, auditOf }) => {
    const page = await auditOf(acme)
    await page.getByLabel('Action').selectOption('API key generated')
    await expect.poll(() => events(page).count()).toBe(1)
    expect(inAddress(page)).toEqual({ action: 'API_KEY_GENERATED' })

    await page.getByLabel('Action').selectOption('All')
    await page.getByLabel('Actor').selectOption('Bob')
    await expect.poll(() => events(page).count()).toBe(1)
    await sentence(page, 'Bob joined').waitFor()
    expect(inAddress(page)).toEqual({ actor: bob.userId })

    await page.reload()
    await sentence(page, 'Bob joined').waitFor()
    expect(await events(page).count()).toBe(1)
    expect(await page.getByLabel('Actor').locator('option:checked').innerText()).toBe('Bob')

    await page.goBack()
    await expect.poll(() => events(page).count()).toBe(7)
    await page.goBack()
    await expect.poll(() => page.getByLabel('Action').inputValue()).toBe('API_KEY_GENERATED')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => events(page).count()).toBe(7)
  })

  it('the name of a deleted key still links to its events', async ({ acme, auditOf }) => {
    const page = await auditOf(acme)
    await sentence(page, 'pump').getByRole('link', { name: 'API key ci' }).click()
    await expect.poll(() => events(page).count()).toBe(1)
    expect(await page.getByLabel('Actor').locator('option:checked').innerText()).toBe('ci')
  })

  it('filters by days, both included; invalid days are ignored', async ({ acme, auditOf }) => {
    const page = await auditOf(acme)
    await page.getByLabel('From').fill(dayFromNow(-1))
    await page.getByLabel('To', { exact: true }).fill(dayFromNow(0))
    await expect.poll(() => inAddress(page)).toEqual({ since: dayFromNow(-1), until: dayFromNow(0) })
    await expect.poll(() => events(page).count()).toBe(7)

    await page.getByLabel('To', { exact: true }).fill(dayFromNow(-1))
    await page.getByRole('heading', { name: 'No matching events' }).waitFor()
    await page.getByLabel('From').fill(dayFromNow(2))
    await page.getByText('This date is before the start date.').waitFor()

    await page.goto(`/${acme.slug}/audit?since=2026-02-31&until=yesterday`)
    await expect.poll(() => events(page).count()).toBe(7)
    expect(await page.getByLabel('From').inputValue()).toBe('')
  })

  it('shows the values before and after, and leads from a revoked key to what it changed', async ({
    acme,
    auditOf,
  }) => {
    const page = await auditOf(acme)
    const added = sentence(page, 'pump')
    await added.getByText('Before and after').click()
    await added.getByRole('definition').filter({ hasText: 'pump' }).waitFor()
    await sentence(page, 'Ada revoked the API key ci').getByRole('link', { name: 'View changes by ci' }).click()
    await page.getByRole('heading', { name: 'Changes by an API key' }).waitFor()
    await page.getByRole('list', { name: 'Changes' }).getByText('This key added the device pump').waitFor()
  })

  it('shows older events in pages', async ({ world, ada, auditOf }) => {
    const initech = await world.organization('Initech', { admin: ada, apiKeys: false })
    for (let i = 0; i < 60; i++) await initech.call(CREATE_DEVICE, { name: `device-${i}` })
    const page = await auditOf(initech)
    await expect.poll(() => events(page).count()).toBe(50)
    await page.getByRole('button', { name: 'Show older events' }).click()
    await expect.poll(() => events(page).count()).toBe(61)
    await sentence(page, 'Ada created the account Initech').waitFor()
    expect(await page.getByRole('button', { name: 'Show older events' }).count()).toBe(0)
  })

  it('exports every page that matches the filter as CSV, quoted, and safe for a spreadsheet', async ({
    world,
    ada,
    auditOf,
  }) => {
    const hooli = await world.organization('Hooli', { admin: ada, apiKeys: false })
    const names = ['=1+1', '+plus', '-minus', '@at', 'a "quoted", name', 'Zürich']
    for (const name of names) await hooli.call(CREATE_DEVICE, { name })
    await insertEvents(world, hooli.id, 600)
    const page = await auditOf(hooli, '?action=device.created')

    const started = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const download = await started
    expect(download.suggestedFilename()).toBe(`audit-hooli-${dayFromNow(0)}.csv`)
    const [head, ...lines] = parseCsv((await readFile(await download.path(), 'utf8')).replace(/^\uFEFF/, ''))

    expect(head).toEqual([
      ...['Time', 'Actor kind', 'Actor', 'Actor id', 'Action', 'Subject', 'Details', 'Event id'],
      ...['Subject type', 'Subject id', 'Changes', 'IP address'],
    ])
    expect(lines).toHaveLength(names.length + 600)
    expect(new Set(lines.map((line) => line[7])).size).toBe(lines.length)
    expect(new Set(lines.map((line) => line[4]))).toEqual(new Set(['DEVICE_CREATED']))
    const made = lines.filter(([, , actor]) => actor === 'Ada')
    expect(made.map((line) => line[5])).toEqual(
      ["'=1+1", "'+plus", "'-minus", "'@at", 'a "quoted", name', 'Zürich'].toReversed(),
    )
    expect(made[0]?.slice(1, 4)).toEqual(['USER', 'Ada', ada.userId])
    expect(made[0]?.slice(8)).toEqual([
      'DEVICE',
      expect.any(String),
      expect.stringContaining('{"field":"name","before":null,"after":"Zürich"}'),
      '127.0.0.1',
    ])
  })

  it('an export shows its progress, and Cancel stops it without a file', async ({ world, ada, auditOf }) => {
    const umbrella = await world.organization('Umbrella', { admin: ada, apiKeys: false })
    await insertEvents(world, umbrella.id, 600)
    const page = await auditOf(umbrella)
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/portal/graphql', async (route) => {
      const { variables } = route.request().postDataJSON() as { variables: { first?: number; after?: string } }
      if (variables.first === 500 && variables.after) await held
      await route.continue()
    })
    let files = 0
    page.on('download', () => files++)

    await page.getByRole('button', { name: 'Export CSV' }).click()
    await page.getByRole('status').filter({ hasText: '500 of 601' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Export CSV' }).waitFor()
    const answered = page.waitForResponse('**/portal/graphql')
    letGo()
    await answered
    await page.getByRole('button', { name: 'Export CSV' }).click()
    await page.getByText('CSV file downloaded.').waitFor()
    await page.getByRole('button', { name: 'Export CSV' }).waitFor()
    await expect.poll(() => files).toBe(1)
  })

  it('K2: a Member is refused with the reason, and sees no event', async ({ acme, bob, auditOf }) => {
    const page = await auditOf(acme, '', bob)
    await page.getByRole('heading', { name: 'This page is for Admins' }).waitFor()
    await page.getByText('You are a Member of Acme.').waitFor()
    expect(await events(page).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Export CSV' }).count()).toBe(0)
    await expectAccessible(page)
  })

  it('is accessible, full and empty', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/audit` })
    await events(page).first().waitFor()
    const link = await page.getByRole('link', { name: 'View changes by ci' }).first().boundingBox()
    expect(link?.height, 'the height of a target, in pixels').toBeGreaterThanOrEqual(24)
    await expectAccessible(page)
    await page.getByLabel('From').fill(dayFromNow(3))
    await page.getByRole('heading', { name: 'No matching events' }).waitFor()
    await expectAccessible(page)
  })

  /** As many as no test could do one by one. */
  async function insertEvents({ database }: World, organizationId: string, count: number): Promise<void> {
    const at = Date.now()
    const event = { organizationId, at, action: 'device.created', actorKind: 'SYSTEM' as const, actorId: null }
    const values = Array.from({ length: count }, (_, i) => ({
      ...event,
      id: `0${String(i).padStart(25, '0')}`,
      actorName: 'command line',
      subject: `device-${i}`,
      details: null,
    }))
    const unlike = values.map((value) => ({
      ...value,
      id: `${value.id.slice(0, 16)}${organizationId.slice(-10, -4)}${value.id.slice(-4)}`,
    }))
    await database.transaction((db) => db.insertInto('auditEvent').values(unlike).execute())
  }
})

/** As RFC 4180 has it. */
function parseCsv(text: string): string[][] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)]
  const lines: string[][] = [[]]
  for (const [, quoted, plain = '', end] of cells) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}
