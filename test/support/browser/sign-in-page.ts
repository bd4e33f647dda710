import type { Page } from 'playwright-core'

export const email = (page: Page) => page.getByRole('textbox', { name: 'Email' })
export const password = (page: Page) => page.getByLabel('Password', { exact: true })
export const pathOf = (page: Page) => new URL(page.url()).pathname
/** A link without the address of the portal. */
export const pathIn = (link: string) => new URL(link).pathname + new URL(link).hash
