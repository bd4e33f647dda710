import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { chooseFor, openPanelOf } from '../support/browser/api-keys-panel.ts'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { PHONE, press, WIDE } from '../support/browser/portal-page.ts'
import { makeOlder } from '../support/world/inserted-keys.ts'

/** The name of the button that a click in the middle of this one would reach. */
async function reached(target: Locator): Promise<unknown> {
  const { x, y, width, height } = (await target.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const button = `document.elementFromPoint(${x + width / 2}, ${y + height / 2})?.closest('button')`
  return target.page().evaluate(`((button) => button?.ariaLabel ?? button?.textContent)(${button})`)
}

const noticed = (page: Page) => page.getByRole('button', { name: 'Close notice' })

const it = inPortalOrganization()

it.for([WIDE.viewport, PHONE])(
  'a notice covers no Save, and no button of another notice, at %o',
  async (viewport, { portal, ada, acme, world }) => {
    const key = await acme.generateKey({ label: 'old', expiresAt: new Date(Date.now() + 86_400_000).toISOString() })
    await makeOlder(world, key, 90)
    const page = await openPanelOf(portal, ada, acme, { viewport })
    await chooseFor(page, 'old', 'Pause for 1 hour')
    await noticed(page).waitFor()
    await chooseFor(page, 'old', 'Rename')
    expect(await reached(page.getByRole('button', { name: 'Save' }))).toBe('Save')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await press(page, 'Close')
    const expiring = page.getByRole('complementary', { name: 'API keys that expire soon' })
    expect(await reached(expiring.getByRole('button', { name: 'Dismiss' }))).toBe('Dismiss')
    expect(await reached(noticed(page))).toBe('Close notice')
  },
)
