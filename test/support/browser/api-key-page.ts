import type { Page } from 'playwright-core'
import type { TestKey, World } from '../world/world.ts'
import { inPortalOrganization } from './portal-fixtures.ts'
import { heading } from './portal-page.ts'

export const NIGHTLY = 'query Nightly { devices { data { id } } }'

/** An organization of its own for each test, whose Admin opens the page of a key. */
export const inKeyPage = () =>
  inPortalOrganization().extend(
    'pageOf',
    ({ portal, ada, acme }) =>
      async ({ id, label }: TestKey, { slug }: { slug: string } = acme) => {
        const page = await portal.signIn(ada, { path: `/${slug}/api-keys/${id}` })
        await heading(page, label).waitFor()
        return page
      },
  )

export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const fact = (page: Page, name: string) =>
  page.locator('dl > div', { has: page.locator(`dt:text-is("${name}")`) }).locator('dd')

/** Calls with the key, as often. */
export async function use(world: World, { secret }: TestKey, calls = 1): Promise<void> {
  for (let call = 0; call < calls; call++) await world.asKey(secret).call(NIGHTLY)
}
