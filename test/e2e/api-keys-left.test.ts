import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askToRevoke, confirmRevokeOf, labelsIn, openPanel, panelOf, rowOf } from '../support/api-keys-panel.ts'
import { expectAccessible, openPortal, PHONE, type Portal, WIDE } from '../support/portal-page.ts'

const MADE = ['one', 'two', 'three', 'four', 'five', 'six']

describe('a key that has generated others', () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(() => portal.close())

  /** A key that was used a lot, and has generated six others, one of them through another. */
  async function parentWithSix() {
    const { world } = portal
    const opened = await openPanel(portal)
    const parent = await world.generateKey(opened.ada, opened.acme, { label: 'parent' })
    await world.generateKey(opened.ada, opened.acme, { label: 'bystander' })
    let { secret } = parent
    for (const label of MADE) {
      const mutation = 'mutation ($label: String) { generateApiKey(input: { label: $label }) { secret } }'
      const { data } = await world.asKey(secret).call(mutation, { label })
      if (label === 'one') secret = (data as { generateApiKey: { secret: string } }).generateApiKey.secret
    }
    await rowOf(opened.page, 'six').waitFor()
    await rowOf(opened.page, 'parent').getByText('Last used').waitFor()
    return { ...opened, parent }
  }

  it.each([
    ['a desktop', WIDE.viewport],
    ['a phone', PHONE],
  ])('on %s the choice, the button and what has to be typed are in sight without scrolling', async (_name, size) => {
    const { page } = await parentWithSix()
    await page.setViewportSize(size)
    await askToRevoke(page, 'parent')
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
    const also = dialog.getByRole('radio', { name: 'Also revoke the 6 keys that it generated' })
    await also.waitFor()
    await dialog.getByRole('region', { name: 'What will break' }).waitFor()
    for (const part of [
      dialog.getByRole('radio', { name: 'Revoke only this key' }),
      also,
      dialog.getByLabel('Type “parent” to confirm'),
      dialog.getByRole('button', { name: 'Revoke this key' }),
    ]) {
      expect(await isInSight(page, part), String(part)).toBe(true)
    }
    await also.check()
    expect(await isInSight(page, dialog.getByRole('button', { name: 'Revoke 7 keys' }))).toBe(true)
    await expectAccessible(page)
  })

  it('revoked alone, it says that the six live on, and leads to them', async () => {
    const { page, acme } = await parentWithSix()
    await askToRevoke(page, 'parent')
    await confirmRevokeOf(page, 'parent')
    const notice = page.getByRole('alert').filter({ hasText: '6 keys that it generated are still active' })
    await notice.getByRole('button', { name: 'Show them' }).click()
    await panelOf(page).getByText('Only 6 keys are shown').waitFor()
    expect((await labelsIn(page)).sort()).toEqual([...MADE].sort())
    expect(page.url()).toContain(`/${acme.slug}/users/api-keys?only=`)
    await expectAccessible(page)
    await panelOf(page).getByRole('button', { name: 'Show all keys' }).click()
    await rowOf(page, 'bystander').waitFor()
  })

  it('revoked with them, nothing is left to say', async () => {
    const { page } = await parentWithSix()
    await askToRevoke(page, 'parent')
    await page.getByRole('radio', { name: 'Also revoke the 6 keys that it generated' }).check()
    await confirmRevokeOf(page, 'parent', 'Revoke 7 keys')
    await page.getByText('“parent” and the 6 keys that it generated are revoked.').waitFor()
    await expect.poll(() => labelsIn(page)).toEqual(['bystander'])
    expect(await page.getByText('still active').count()).toBe(0)
  })
})

/** Whole, on the screen, and with nothing above it: where its middle is, it is what a click hits. */
async function isInSight(page: Page, part: Locator): Promise<boolean> {
  const box = await part.boundingBox()
  const size = page.viewportSize()
  if (!box || !size) return false
  const { x, y, width, height } = box
  if (x < 0 || y < 0 || x + width > size.width || y + height > size.height) return false
  return part.evaluate((element) => {
    const dom = element as unknown as Dom // these tests know no types of the browser's
    const { x, y, width, height } = dom.getBoundingClientRect()
    const hit = dom.ownerDocument.elementFromPoint(x + width / 2, y + height / 2)
    return hit !== null && (dom.contains(hit) || hit.contains(dom))
  })
}

interface Dom {
  getBoundingClientRect(): { x: number; y: number; width: number; height: number }
  ownerDocument: { elementFromPoint(x: number, y: number): Dom | null }
  contains(other: Dom): boolean
}
