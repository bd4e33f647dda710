import { describe, expect } from 'vitest'
import { askToRevoke, noSidewaysScrollInDialogs, rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE } from '../support/browser/portal-page.ts'

const it = inPanel()

describe('recently revoked keys', () => {
  it('shows when, by whom and why, with what the key has changed; the address keeps it', async ({
    acme,
    page,
    panel,
  }) => {
    const { id, secret } = await acme.generateKey({ label: 'ci' })
    await acme.generateKey({ label: 'other' })
    await askToRevoke(page, 'ci')
    await page.getByLabel('Reason').fill('The laptop was stolen')
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('“ci” was revoked').waitFor()
    await rowOf(page, 'ci').waitFor({ state: 'detached' })

    await panel.getByRole('button', { name: 'Recently revoked' }).click()
    const list = panel.getByRole('list', { name: 'Recently revoked keys' })
    const row = list.getByRole('listitem').filter({ hasText: 'ci' })
    await row.getByText('“The laptop was stolen”').waitFor()
    const words = await row.textContent()
    expect(words).toContain(`${secret.slice(0, 10)}…`)
    expect(words).toMatch(/(now|seconds? ago) by Ada · never used/)
    expect(await row.getByRole('link', { name: 'View changes by ci' }).getAttribute('href')).toContain(id)
    await expectAccessible(page)
    await page.reload()
    await row.waitFor()
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
    await panel.getByRole('button', { name: '1 key' }).click()
    await rowOf(page, 'other').waitFor()
    expect(await list.count()).toBe(0)
  })

  it('says that there are none, also when there are no keys', async ({ page, panel }) => {
    await panel.getByRole('button', { name: 'Recently revoked keys' }).click()
    await page.getByText('No revoked keys').waitFor()
  })
})
