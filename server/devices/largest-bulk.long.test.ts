import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { MAX_BODY_BYTES } from '../graphql/operation-limits.ts'

const it = inOrganization(() => startWorld({ transactionMs: 60_000 })) // whatever else the machine does

const COUNT = 500
const CHARACTERS = { ASCII: 'a', 'three bytes': '漢', 'four bytes': '😀' }

/** Every text as long as it may be. */
const largest = (character: string, i: number) => ({
  name: `${i}${character.repeat(80 - String(i).length)}`,
  description: character.repeat(1000),
  enabled: true,
  tags: Array.from({ length: 20 }, (_, tag) => String.fromCharCode(97 + tag) + character.repeat(39)),
  firmwareVersion: character.repeat(80),
  location: {
    name: character.repeat(200),
    address: character.repeat(200),
    latitude: -12.3456789,
    longitude: 123.456789,
    timeZone: 'America/Argentina/ComodRivadavia',
  },
})

const RESULTS = '{ results { device { id name tags } error { code field message } } }'
const CREATE = `mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) ${RESULTS} }`
const UPSERT = `mutation ($inputs: [CreateDeviceInput!]!) { upsertDevices(inputs: $inputs) ${RESULTS} }`
const UPDATE = `mutation ($inputs: [UpdateDevicesInput!]!) { updateDevices(inputs: $inputs) ${RESULTS} }`

const escaped = (json: string) =>
  json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

describe('500 devices with the longest texts fit into a call', () => {
  it.for(Object.entries(CHARACTERS))(
    'of %s, by a key and in the portal',
    async ([, character], { world, ada, acme, key }) => {
      const asKey = { 'api-secret': key.secret }
      const asAda = { cookie: ada.cookie, 'portal-organization': acme.slug }
      const inputs = Array.from({ length: COUNT }, (_, i) => largest(character, i))
      const send = async (
        path: string,
        who: Record<string, string>,
        query: string,
        list: object[],
        change = (json: string) => json,
      ) => {
        world.clock.advance(60_000) // all points are there again
        const body = change(JSON.stringify({ query, variables: { inputs: list } }))
        const response = await fetch(`${world.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...who },
          body,
        })
        const { data, errors } = (await response.json()) as {
          data: Record<string, { results: { device: { id: string } }[] }>
          errors?: unknown
        }
        expect([response.status, errors]).toEqual([200, undefined])
        const [{ results } = { results: [] }] = Object.values(data)
        expect(results.filter(({ device }) => device !== null)).toHaveLength(COUNT)
        return results.map(({ device }) => device.id)
      }
      const ids = await send('/graphql', asKey, CREATE, inputs)
      await send('/portal/graphql', asAda, UPSERT, inputs)
      await send('/graphql', { ...asKey, accept: 'application/graphql-response+json' }, UPSERT, inputs)
      const changes = inputs.map((input, i) => ({ ...input, id: ids[i], enabled: false }))
      await send('/portal/graphql', asAda, UPDATE, changes)
      await send('/graphql', asKey, UPDATE, changes, escaped)
    },
  )
})

describe('a larger body that is no list of inputs is refused, and the answer names the limit', () => {
  const DEVICE = { name: 'edge-1' }
  const long = 'x'.repeat(300 * 1024)
  it.for<[string, object]>([
    ['in a variable that is not used', { query: '{ viewer { role } }', variables: { pad: long } }],
    ['in the document', { query: `{ viewer { role } } # ${long}` }],
    ['in one input of a list', { query: CREATE, variables: { inputs: [{ ...DEVICE, description: long }] } }],
    ['in a list of texts', { query: CREATE, variables: { inputs: [DEVICE], pad: Array(500).fill('x'.repeat(700)) } }],
    ['in extensions', { query: '{ viewer { role } }', extensions: { pad: long } }],
    [
      'in many empty lists',
      { query: CREATE, variables: { inputs: Array(500).fill(DEVICE), pad: Array(200_000).fill([]) } },
    ],
    [
      'in many short texts',
      { query: CREATE, variables: { inputs: Array(500).fill(DEVICE), pad: Array(70_000).fill('a') } },
    ],
  ])('%s', async ([, body], { world, ada, acme, key }) => {
    const text = JSON.stringify(body)
    expect(text.length).toBeGreaterThan(MAX_BODY_BYTES)
    const reader = await acme.generateKey({ access: 'READ_ONLY' })
    for (const [path, who] of [
      ['/graphql', { 'api-secret': key.secret }],
      ['/graphql', { 'api-secret': key.secret, accept: 'application/graphql-response+json' }],
      ['/graphql', { 'api-secret': reader.secret }],
      ['/portal/graphql', { cookie: ada.cookie, 'portal-organization': acme.slug }],
      ['/portal/graphql', {}],
    ] as const) {
      const headers = { 'content-type': 'application/json', ...who }
      const response = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: text })
      const answer = JSON.stringify(await response.json())
      expect([response.status, answer]).toEqual([413, expect.stringMatching(/at most \d+ KiB.*PAYLOAD_TOO_LARGE/)])
    }
  })
})
