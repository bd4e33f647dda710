import type { Page } from 'playwright-core'
import { fieldOf } from './people.ts'
import type { Person, TestOrganization } from './world.ts'

const CREATE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
const CHECK_IN = 'mutation ($id: ID!) { checkInDevice(id: $id) { id } }'

/** The devices of an organization, as its Admin has them through the API. */
export function fleetOf({ admin, slug }: TestOrganization, by: Person = admin) {
  return {
    add: async (input: { name: string; [field: string]: unknown }): Promise<string> =>
      fieldOf<{ id: string }>(await by.call(CREATE, { input }, slug)).id,
    /** Twenty by one call. */
    addMany: async (names: string[]): Promise<void> => {
      for (let at = 0; at < names.length; at += 20) {
        const calls = names
          .slice(at, at + 20)
          .map((name, i) => `d${i}: createDevice(input: { name: "${name}" }) { id }`)
        fieldOf(await by.call(`mutation { ${calls.join(' ')} }`, {}, slug))
      }
    },
    checkIn: async (id: string): Promise<void> => void fieldOf(await by.call(CHECK_IN, { id }, slug)),
    update: async (id: string, input: object): Promise<void> =>
      void fieldOf(
        await by.call(
          'mutation ($id: ID!, $input: UpdateDeviceInput!) { updateDevice(id: $id, input: $input) { id } }',
          { id, input },
          slug,
        ),
      ),
    all: async () =>
      fieldOf<{
        data: { id: string; name: string; firmwareVersion: string | null; enabled: boolean; tags: string[] }[]
      }>(await by.call('{ devices { data { id name firmwareVersion enabled tags } } }', {}, slug)).data,
  }
}

/** The names in the table, from top to bottom. */
export const namesInTable = (page: Page): Promise<string[]> =>
  page.getByRole('rowheader').getByRole('link').allInnerTexts()

/** What stands at a field, for eyes and for screen readers. */
export async function saidAt(page: Page, label: string): Promise<string> {
  const field = page.getByRole('dialog').getByLabel(label, { exact: true })
  const ids = (await field.getAttribute('aria-describedby')) ?? ''
  const words = ids.split(' ').map((id) => page.locator(`[id="${id}"]`).allInnerTexts())
  return (await Promise.all(words)).flat().join(' ')
}
