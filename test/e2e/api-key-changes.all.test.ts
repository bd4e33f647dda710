import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { newId } from '../../server/lib/id.ts'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading } from '../support/browser/portal-page.ts'
import { fieldOf } from '../support/world/people.ts'
import type { TestKey, TestOrganization, World } from '../support/world/world.ts'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
const DISABLE = 'mutation ($id: ID!) { updateDevice(id: $id, input: { enabled: false }) { id } }'
const GENERATE = 'mutation { generateApiKey(input: { label: "child" }) { secret apiKey { id label } } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id, includeDescendants: true) { ids } }'

const changes = (page: Page) => page.getByRole('list', { name: 'Changes' }).getByRole('listitem')

const empty = (page: Page, title: string) => page.getByRole('heading', { level: 2, name: title })

const it = inPortalOrganization()
  .extend('leaked', ({ acme }) => acme.generateKey({ label: 'leaked' }))
  .extend('changesOf', ({ portal, ada, acme }) => async ({ id }: TestKey, search = '', person = ada) => {
    const page = await portal.signIn(person, { path: `/${acme.slug}/api-keys/${id}/changes${search}` })
    await heading(page, 'Changes by an API key').waitFor()
    return page
  })

/** The key makes another one, and that one a device; the key disables it, and both are revoked. */
async function leak(world: World, acme: TestOrganization, leaked: TestKey): Promise<void> {
  const made = fieldOf<{ secret: string }>(await world.asKey(leaked.secret).call(GENERATE))
  const { id } = fieldOf<{ id: string }>(await world.asKey(made.secret).call(CREATE, { name: '=pump' }))
  fieldOf(await world.asKey(leaked.secret).call(DISABLE, { id }))
  fieldOf(await acme.call(REVOKE, { id: leaked.id }))
}

describe('the page of what a key changed', () => {
  it('lists the changes of a revoked key and of the keys that it created, with before, after and address', async ({
    world,
    acme,
    leaked,
    changesOf,
  }) => {
    await leak(world, acme, leaked)
    const page = await changesOf(leaked)
    await expect.poll(() => changes(page).count()).toBe(3)
    const said = (await changes(page).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    expect(said[0]).toMatch(
      /^This key updated the device =pump enabled true → .*false from 127\.0\.0\.1 · .*(ago|now)$/,
    )
    expect(said[1]).toMatch(/^The key child, created by this key, added the device =pump name not set → .*=pump /)
    expect(said[2]).toMatch(/^This key generated the API key child/)
    await page.getByText('and the 1 key that it created').waitFor()
    await expectAccessible(page)
  })

  it('downloads all of them as CSV and as JSON', async ({ world, acme, leaked, changesOf }) => {
    await leak(world, acme, leaked)
    const at = Date.now()
    const actor = { actorKind: 'API_KEY', actorId: leaked.id, actorName: 'leaked' } as const
    const older = Array.from({ length: 600 }, (_, i) => ({
      ...{ id: newId(at - 1000), organizationId: acme.id, at: at - 1000, action: 'device.updated', ...actor },
      subject: `device ${i}`,
    }))
    await world.database.transaction((db) => db.insertInto('auditEvent').values(older).execute())
    const page = await changesOf(leaked)
    const saved = async (button: string) => {
      const started = page.waitForEvent('download')
      await page.getByRole('button', { name: button }).click()
      const download = await started
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
    }
    const csv = await saved('Download CSV')
    expect(csv.name).toMatch(new RegExp(`^changes-${leaked.id}-\\d{4}-\\d\\d-\\d\\d\\.csv$`))
    const lines = csv.text.split('\r\n')
    expect(lines[0]).toBe(
      '\uFEFFTime,Key,Key id,Action,Subject type,Subject,Subject id,Field,Before,After,IP address,Event id',
    )
    expect(lines.filter((line) => line.includes(",'=pump,"))).not.toEqual([])
    expect(lines.filter((line) => line.includes(',=pump,'))).toEqual([])
    expect(lines.filter((line) => line.includes(',device '))).toHaveLength(600)
    const json = JSON.parse((await saved('Download JSON')).text)
    expect(json).toHaveLength(603)
    expect(json[0]).toMatchObject({
      action: 'DEVICE_UPDATED',
      changes: [{ field: 'enabled', before: true, after: false }],
    })
  })

  it('shows what was changed since a moment, which the address holds, and says when that is nothing', async ({
    world,
    acme,
    leaked,
    changesOf,
  }) => {
    await leak(world, acme, leaked)
    const page = await changesOf(leaked)
    await expect.poll(() => changes(page).count()).toBe(3)
    await page.getByLabel('Since').fill('2999-01-01T10:00')
    await empty(page, 'No changes').waitFor()
    expect(new URL(page.url()).searchParams.get('since')).toBe('2999-01-01T10:00')
    await expectAccessible(page)
    await page.getByLabel('Since').fill('2000-01-01T10:00')
    await expect.poll(() => changes(page).count()).toBe(3)
  })

  it("is reached by keyboard from the key's page", async ({ portal, ada, acme, leaked }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/api-keys/${leaked.id}` })
    await page.getByRole('link', { name: 'View changes' }).focus()
    await page.keyboard.press('Enter')
    await empty(page, 'No changes').waitFor()
    await page.getByText('No changes yet by this key or the keys it created.').waitFor()
  })

  it('K2: a Member is refused with the reason; an unknown key is missing', async ({
    portal,
    ada,
    bob,
    acme,
    leaked,
    changesOf,
  }) => {
    const page = await changesOf(leaked, '', bob)
    await empty(page, 'This page is for Admins').waitFor()
    const missing = await portal.signIn(ada, { path: `/${acme.slug}/api-keys/${newId(0)}/changes` })
    await heading(missing, 'Not found').waitFor()
  })
})
