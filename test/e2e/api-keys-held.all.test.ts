import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { askToRevoke, panelOf, rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, noSidewaysScroll, PHONE } from '../support/browser/portal-page.ts'
import type { World } from '../support/world/world.ts'

const it = inPanel()

describe('while keys are held', () => {
  it('C11: the panel says what that means and what can be done, and a key can be revoked', async ({
    world,
    acme,
    page,
    panel,
  }) => {
    const { secret } = await acme.generateKey({ label: 'from the backup' })
    await rowOf(page, 'from the backup').waitFor()
    const alert = panel.getByRole('status').filter({ hasText: 'API keys are held' })
    expect(await alert.count()).toBe(0)
    await setHeldSince(world, Date.now() - 5 * 60_000)
    await alert.getByText('no API key is accepted', { exact: false }).waitFor()
    await alert.getByText('5 minutes ago').waitFor()
    await alert.getByText('portal restore accept').waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScroll(page)
    expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(403)
    await askToRevoke(page, 'from the backup')
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('“from the backup” was revoked. Calls with it are now refused.').waitFor()
    expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(401)
    await setHeldSince(world, null)
    await alert.waitFor({ state: 'detached' })
  })

  it('C11: a new key is shown as not accepted yet', async ({ world, page }) => {
    await setHeldSince(world, Date.now())
    await panelOf(page).getByText('API keys are held').waitFor()
    await page.getByRole('button', { name: 'Generate Key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your new key' })
    await dialog.getByText('was generated, but is not accepted yet', { exact: false }).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'I have stored it' }).click()
    await setHeldSince(world, null)
  })
})

it('K9, C11: says so when a revoke could not be written outside of the database', async ({ world, acme, page }) => {
  await acme.generateKey({ label: 'leaked' })
  await rowOf(page, 'leaked').waitFor()
  const ledger = join(world.storage.env['DATA_DIR'] ?? '', 'revoked.db')
  for (const each of ['', '-wal', '-shm']) rmSync(ledger + each, { force: true })
  mkdirSync(ledger)
  await askToRevoke(page, 'leaked')
  await page.getByRole('button', { name: 'Revoke this key' }).click()
  await page
    .getByText(
      '“leaked” was revoked. Calls with it are now refused. This could not be recorded outside the database yet',
      { exact: false },
    )
    .waitFor()
})

/** As a restore with a gap in the ledger does it, which the tests of the ledger bring about. */
const setHeldSince = ({ database }: World, heldSince: number | null) =>
  database.transaction((db) => db.updateTable('revocationState').set({ heldSince }).execute())
