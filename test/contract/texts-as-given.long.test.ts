import { getNamedType, isInputObjectType } from 'graphql'
import { describe, expect } from 'vitest'
import { schema } from '../../server/endpoints/schema.ts'
import { inOrganization } from '../support/world/fixtures.ts'
import { codesOf } from '../support/world/people.ts'
import { startWorld } from '../support/world/world.ts'

/** Every text that a mutation stores: how it is given as `$text`, and what answers with it. */
const STORED: Record<string, string> = {
  'CheckInDeviceInput.firmwareVersion': 'checkInDevice(id: $id, input: { firmwareVersion: $text }) { firmwareVersion }',
  'CheckInDevicesInput.firmwareVersion':
    'checkInDevices(inputs: [{ id: $id, firmwareVersion: $text }]) { results { device { firmwareVersion } error { code field } } }',
  'CreateDeviceInput.description': 'createDevice(input: { name: "a", description: $text }) { description }',
  'CreateDeviceInput.firmwareVersion': 'createDevice(input: { name: "a", firmwareVersion: $text }) { firmwareVersion }',
  'CreateDeviceInput.name': 'createDevice(input: { name: $text }) { name }',
  'CreateDeviceInput.tags': 'createDevice(input: { name: "a", tags: ["x", $text] }) { tags }',
  'CreateWebhookInput.description':
    'createWebhook(input: { url: "https://hooks.example.com/", events: [DEVICE_CREATED], description: $text }) { webhook { description } }',
  'CreateWebhookInput.url': 'createWebhook(input: { url: $text, events: [DEVICE_CREATED] }) { webhook { url } }',
  'GenerateApiKeyInput.label': 'generateApiKey(input: { label: $text }) { apiKey { label } }',
  'InviteUserInput.email': 'inviteUser(input: { email: $text }) { user { email } }',
  'InviteUserInput.name': 'inviteUser(input: { email: "lin@example.com", name: $text }) { user { name } }',
  'LocationInput.address': 'createDevice(input: { name: "a", location: { address: $text } }) { location { address } }',
  'LocationInput.name': 'createDevice(input: { name: "a", location: { name: $text } }) { location { name } }',
  'LocationInput.timeZone':
    'createDevice(input: { name: "a", location: { timeZone: $text } }) { location { timeZone } }',
  'SaveDeviceViewInput.name': 'saveDeviceView(input: { name: $text, search: "" }) { name }',
  'SaveDeviceViewInput.search': 'saveDeviceView(input: { name: "a", search: $text }) { search }',
  'UpdateDeviceInput.description': 'updateDevice(id: $id, input: { description: $text }) { description }',
  'UpdateDeviceInput.firmwareVersion': 'updateDevice(id: $id, input: { firmwareVersion: $text }) { firmwareVersion }',
  'UpdateDeviceInput.name': 'updateDevice(id: $id, input: { name: $text }) { name }',
  'UpdateDeviceInput.tags': 'updateDevice(id: $id, input: { tags: [$text] }) { tags }',
  'UpdateDevicesInput.description':
    'updateDevices(inputs: [{ id: $id, description: $text }]) { results { device { description } error { code field } } }',
  'UpdateDevicesInput.firmwareVersion':
    'updateDevices(inputs: [{ id: $id, firmwareVersion: $text }]) { results { device { firmwareVersion } error { code field } } }',
  'UpdateDevicesInput.name':
    'updateDevices(inputs: [{ id: $id, name: $text }]) { results { device { name } error { code field } } }',
  'UpdateDevicesInput.tags':
    'updateDevices(inputs: [{ id: $id, tags: [$text] }]) { results { device { tags } error { code field } } }',
  'UpdateOrganizationInput.name': 'updateOrganization(input: { name: $text }) { name }',
  'UpdateWebhookInput.description': 'updateWebhook(id: $webhook, input: { description: $text }) { description }',
  'UpdateWebhookInput.url': 'updateWebhook(id: $webhook, input: { url: $text }) { url }',
  'createOrganization.name': 'createOrganization(name: $text) { name }',
  'generateCanaryApiKey.label': 'generateCanaryApiKey(label: $text) { canaryApiKey { label } }',
  'renameApiKey.label': 'renameApiKey(id: $key, label: $text) { label }',
  'updateProfile.name': 'updateProfile(name: $text) { name }',
}

/** What is not stored as a text of somebody's. */
const OTHERS = [
  'ApiKeyPolicyInput.allowedNetworks', // stored and shown in the canonical form of a network
  'GenerateApiKeyInput.allowedNetworks',
  'UpdateApiKeyInput.allowedNetworks',
  'reportLeakedApiKey.secret',
  'reportLeakedApiKey.url', // in the audit log, without the secret that it may contain
  'revokeApiKey.reason', // for a key that is gone: server/api-keys/revoked/revoked-key.both.long.test.ts
  'revokeApiKeys.reason',
]

/** Ten times as long in the form for sorting. */
const GROWING = 'ﷺ'.repeat(30)

const URLS = [
  ' https://h.example.com/',
  'https://h.example.com/\n',
  'https://H.example.com',
  'https://h.example.com/a b',
]
const SEARCHES = ['?tags=a', 'a b=c', 'a=%62', 'a=%22b%22', 'café', 'tags=a', '', 'search=Caf%C3%A9+1']
const EMAILS = [' lin@example.com', 'Lin@Example.com', 'lin@example.com\u00a0', 'lin@example.com']
const ZONES = ['europe/berlin', ' Europe/Berlin', 'UTC ', 'Europe/Berlin']
const TEXTS = [
  GROWING,
  '',
  ' ',
  ' a',
  'a ',
  'a\n',
  '\u00a0a',
  'a\u3000',
  'cafe\u0301',
  '\u212b',
  'a\r\nb',
  'a  b',
  'ＡＢ',
  'Caf\u00e9',
]

const textsFor = (name: string) => {
  if (name.endsWith('.url')) return URLS
  if (name.endsWith('.email')) return EMAILS
  if (name.endsWith('.search')) return SEARCHES
  return name.endsWith('.timeZone') ? ZONES : TEXTS
}

const isName = (name: string) => /\.(name|label)$/.test(name) && !name.startsWith('LocationInput')

const it = inOrganization(startWorld)

describe('a text is stored as it was given, or refused with its field', () => {
  it('this table has every text of every mutation', () => {
    const found = new Set<string>()
    for (const mutation of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      const check = (owner: string, { name, type }: (typeof mutation.args)[number]) => {
        const named = getNamedType(type)
        if (isInputObjectType(named)) {
          for (const field of Object.values(named.getFields()))
            check(named.name, field as (typeof mutation.args)[number])
        } else if (named.name === 'String') found.add(`${owner}.${name}`)
      }
      for (const arg of mutation.args) check(mutation.name, arg)
    }
    expect([...Object.keys(STORED), ...OTHERS].toSorted()).toEqual([...found].toSorted())
  })

  it.for(Object.entries(STORED))('%s', async ([name, field], { ada, acme }) => {
    const ids: Record<string, string> = await givenIn(acme.call)
    const used = Object.keys(ids).filter((id) => field.includes(`$${id}`))
    const head = ['$text: String!', ...used.map((id) => `$${id}: ID!`)].join(', ')
    const { call } = /^(createOrganization|updateProfile)/.test(name) ? ada : acme
    const stored: string[] = []
    for (const [i, text] of textsFor(name).entries()) {
      const document = `mutation (${head}) { ${field.replace('"a"', `"a-${i}"`)} }`
      const answer = await call(document, { ...ids, text })
      const result = JSON.stringify(answer.data)
      if (codesOf(answer).length === 0 && !result.includes('"BAD_USER_INPUT"')) {
        expect([text, result.includes(JSON.stringify(text))]).toEqual([text, true])
        stored.push(text)
      } else {
        expect([text, JSON.stringify(answer)]).toEqual([text, expect.stringContaining('"BAD_USER_INPUT"')])
        expect([text, JSON.stringify(answer)]).toEqual([text, expect.stringContaining(`"field":"${fieldOf(name)}"`)])
      }
    }
    expect(stored).toContain(textsFor(name).at(-1))
    if (isName(name)) expect(stored).not.toContain(GROWING)
  })
})

it('a search that is too long in the form for sorting is refused with its field', async ({ acme }) => {
  for (const [search, field] of [
    ['devices(search: $text)', 'search'],
    ['devices(filter: { nameContains: $text })', 'filter.nameContains'],
    ['users(search: $text)', 'search'],
    ['apiKeys(search: $text)', 'search'],
  ]) {
    const { errors } = await acme.call(`query ($text: String!) { ${search} { data { id } } }`, {
      text: GROWING.repeat(2),
    })
    expect(errors, search).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
  }
})

const fieldOf = (name: string) => name.replace(/^\w+\./, name.startsWith('LocationInput') ? 'location.' : '')

async function givenIn(call: (query: string, variables?: object) => Promise<{ data: unknown }>) {
  const { data } = await call(`mutation {
    device: createDevice(input: { name: "given" }) { id }
    webhook: createWebhook(input: { url: "https://hooks.example.com/given", events: [DEVICE_CREATED] }) { webhook { id } }
    key: generateApiKey { apiKey { id } }
  }`)
  const made = data as { device: { id: string }; webhook: { webhook: { id: string } }; key: { apiKey: { id: string } } }
  return { id: made.device.id, webhook: made.webhook.webhook.id, key: made.key.apiKey.id }
}
