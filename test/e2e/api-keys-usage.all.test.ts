import { describe, expect } from 'vitest'
import { callAs, noSidewaysScrollInDialogs, openPanelOf, rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'
import { makeOlder } from '../support/world/inserted-keys.ts'

const DAY = 24 * 60 * 60 * 1000
const NIGHTLY = 'query Nightly { devices { data { id } } }'
const FLUSHED = { timeout: 20_000, interval: 1_000 }

const it = inPanel()

describe('the usage of keys in the panel', () => {
  it('draws the calls and the refused calls of 30 days, and sums them up in a sentence', async ({
    world,
    acme,
    page,
  }) => {
    const key = await acme.generateKey({ label: 'ci' })
    await acme.generateKey({ label: 'idle' })
    const answersTo = async (calls: number) => {
      const answers = Array.from({ length: calls }, () => world.asKey(key.secret).call(NIGHTLY))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    expect(await answersTo(3)).toEqual([200, 200, 200])
    await world.database.transaction((db) =>
      db
        .updateTable('apiKey')
        .set({ expiresAt: Date.now() - 1 })
        .where('id', '=', key.id)
        .execute(),
    )
    expect(await answersTo(2)).toEqual([401, 401])
    const today = Date.now() - (Date.now() % DAY)
    await world.database.transaction((db) =>
      db
        .insertInto('apiKeyUsageDay')
        .values([
          { keyId: key.id, day: today - 10 * DAY, calls: 10_000, errors: 0 },
          { keyId: key.id, day: today - 40 * DAY, calls: 7_000, errors: 7_000 },
        ])
        .execute(),
    )

    await expect
      .poll(async () => {
        await page.reload()
        return rowOf(page, 'ci').getByRole('img').getAttribute('aria-label')
      }, FLUSHED)
      .toBe(`${(10_000 + 3).toLocaleString('en-US')} calls accepted in 30 days, 2 refused`)
    expect(await rowOf(page, 'idle').getByRole('img').getAttribute('aria-label')).toBe('No calls in 30 days')
    const bars = async (index: number) => {
      const path = await rowOf(page, 'ci').locator('svg path').nth(index).getAttribute('d')
      return path?.match(/M/g)?.length
    }
    expect([await bars(0), await bars(1)]).toEqual([2, 1]) // two days with calls, one with refusals
  })

  it('shows the user agent and the operation of the last use, and links to the page of the key', async ({
    portal,
    acme,
    page,
  }) => {
    const key = await acme.generateKey({ label: 'ci' })
    await callAs(portal, 'exporter/2.1 (nightly)', key.secret, NIGHTLY)
    await expect
      .poll(() => rowOf(page, 'ci').textContent(), FLUSHED)
      .toMatch(/(now|ago) from 127\.0\.0\.1 by exporter for Nightly/)
    expect(await rowOf(page, 'ci').getByRole('link', { name: 'ci' }).getAttribute('href')).toBe(
      `/${acme.slug}/api-keys/${key.id}`,
    )
  })

  it('marks a key that expires within 30 days, and no other', async ({ world, portal, ada, acme }) => {
    const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()
    await makeOlder(world, await acme.generateKey({ label: 'soon', expiresAt: inDays(6.5) }), 60)
    await acme.generateKey({ label: 'later', expiresAt: inDays(40) })
    await acme.generateKey({ label: 'never' })
    const page = await openPanelOf(portal, ada, acme)
    await rowOf(page, 'soon').getByText('Expires in 7 days').waitFor()
    expect(
      await rowOf(page, 'later')
        .getByText(/^Expires/)
        .count(),
    ).toBe(0)
    expect(await rowOf(page, 'later').textContent()).toContain('next month')
    expect(await rowOf(page, 'never').textContent()).toContain('Never')
  })

  it('is accessible in both themes, and fits a phone', async ({ portal, acme, page }) => {
    const key = await acme.generateKey({
      label: `integration${' long'.repeat(12)}`,
      expiresAt: new Date(Date.now() + 5 * DAY).toISOString(),
    })
    await callAs(portal, `agent-${'x'.repeat(100)}`, key.secret, `query ${'Long'.repeat(30)} { viewer { role } }`)
    await expect.poll(() => page.getByText('LongLong').count(), FLUSHED).toBe(1)
    await page.reload()
    await page.getByRole('img', { name: /in 30 days/ }).waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
  })
})
