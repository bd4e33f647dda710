import { fieldOf, invited } from '../support/world/people.ts'
import type { Person, TestOrganization } from '../support/world/world.ts'

/** What an operation works on, made anew in the organization for every try. */
export type Maker = (of: Setting) => Promise<Record<string, string>>

interface Setting {
  acme: TestOrganization
  stranger: Person
}

export const NEW_WEBHOOK = 'input: { url: "https://hooks.example", events: [DEVICE_CREATED] }'

let count = 0

export function fresh(): string {
  return `thing-${++count}`
}

export async function aDevice({ acme }: Setting) {
  const create = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
  return { id: fieldOf<{ id: string }>(await acme.call(create, { name: fresh() })).id }
}

export async function aSharedView({ acme }: Setting) {
  const save = 'mutation ($name: String!) { saveDeviceView(input: { name: $name, search: "", shared: true }) { id } }'
  return { id: fieldOf<{ id: string }>(await acme.call(save, { name: fresh() })).id }
}

let lastKey = 'none yet'

/** In place of the one before: an organization has a hundred keys at most. */
export async function aKey({ acme }: Setting) {
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: lastKey })
  const { id } = await acme.generateKey()
  lastKey = id
  return { id }
}

export async function aCanaryKey({ acme }: Setting) {
  const generate = 'mutation { generateCanaryApiKey(label: "x") { canaryApiKey { id } } }'
  return { id: fieldOf<{ canaryApiKey: { id: string } }>(await acme.call(generate)).canaryApiKey.id }
}

/** In place of those before: an organization has twenty at most. */
export async function aWebhook({ acme }: Setting) {
  const { webhooks } = (await acme.call('{ webhooks { id } }')).data as { webhooks: { id: string }[] }
  for (const { id } of webhooks) await acme.call('mutation ($id: ID!) { deleteWebhook(id: $id) }', { id })
  const create = `mutation { createWebhook(${NEW_WEBHOOK}) { webhook { id } } }`
  return { id: fieldOf<{ webhook: { id: string } }>(await acme.call(create)).webhook.id }
}

export async function aDelivery(setting: Setting) {
  const test = 'mutation ($id: ID!) { testWebhook(id: $id) { id } }'
  return { id: fieldOf<{ id: string }>(await setting.acme.call(test, await aWebhook(setting))).id }
}

export async function aRevokedKey({ acme }: Setting) {
  const { id } = await acme.generateKey()
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id })
  return { id }
}

export async function anInvitedPerson({ acme }: Setting) {
  const { user } = await invited(acme.call, { email: `${fresh()}@example.com` })
  return { id: user.id }
}

export async function aSessionOfAnother({ stranger }: Setting) {
  const sessions = fieldOf<{ id: string }[]>(await stranger.call('{ sessions { id } }'))
  return { id: sessions[0]?.id ?? '' }
}

export async function theOrganization({ acme }: Setting) {
  return { id: acme.id }
}
