import type { Page } from 'playwright-core'
import type { TestOrganization } from '../world/world.ts'
import type { Portal } from './portal-page.ts'

export const section = (page: Page) => page.getByRole('region', { name: 'Emails' })
export const emails = (page: Page) => page.getByRole('list', { name: 'Emails' }).getByRole('listitem')
export const email = (page: Page, words: string) => emails(page).filter({ hasText: words })

/** The Settings of an organization with its emails, as its Admin sees them. */
export async function settingsOf(portal: Portal, { admin, slug }: TestOrganization): Promise<Page> {
  const page = await portal.signIn(admin, { path: `/${slug}/settings` })
  await section(page).waitFor()
  return page
}
