import { describe, expect } from 'vitest'
import { rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { noSidewaysScroll } from '../support/browser/portal-page.ts'

const DAY_MS = 86_400_000
const LABEL = 'Nightly export, archive'

const it = inPanel()

describe('a key with everything that can be said of it', () => {
  it('shows its label, one badge, and its restrictions below, after navigating as after a direct load', async ({
    acme,
    page,
  }) => {
    const { id } = await acme.generateKey({
      label: LABEL,
      access: 'READ_ONLY',
      allowedNetworks: ['203.0.113.0/24', '2001:db8::/32'],
      requestsPerSecond: 5,
      requestsPerDay: 10_000,
      expiresAt: new Date(Date.now() + 5 * DAY_MS).toISOString(),
    })
    await acme.call('mutation ($id: ID!) { pauseApiKey(id: $id, seconds: 3600) { id } }', { id })
    const row = rowOf(page, LABEL)
    const boxes = async () => {
      await row.getByText('Paused, resumes').waitFor()
      const label = row.getByRole('link', { name: LABEL })
      const isWhole = await label.evaluate(
        (link: { scrollWidth: number; clientWidth: number }) => link.scrollWidth <= link.clientWidth,
      )
      const restrictions = await row.getByText('5 a second').boundingBox()
      return {
        isWhole,
        badges: await row.getByRole('rowheader').locator('.mantine-Badge-root').count(),
        below: (restrictions?.y ?? 0) - ((await label.boundingBox())?.y ?? 0) > 10,
      }
    }
    const navigated = await boxes()
    expect(navigated).toEqual({ isWhole: true, badges: 1, below: true })
    await noSidewaysScroll(page)
    await page.reload()
    expect(await boxes()).toEqual(navigated)
  })
})
