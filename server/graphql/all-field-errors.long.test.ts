import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import type { Answer } from '../../test/support/world/http.ts'
import { startWorld } from '../../test/support/world/world.ts'

const CREATE = 'mutation ($input: CreateDeviceInput!) { made: createDevice(input: $input) { id } }'
const UPDATE = 'mutation ($input: UpdateDeviceInput!) { updateDevice(id: "x", input: $input) { id } }'
const GENERATE = 'mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret } }'
const POLICY = 'mutation ($input: ApiKeyPolicyInput!) { setApiKeyPolicy(input: $input) { maxKeys } }'
const INVITE = 'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }'

const it = inWorld(startWorld)

/** The fields at fault, each with an error of its own. */
function fieldsOf({ errors }: Answer): (string | undefined)[] {
  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['BAD_USER_INPUT']))
  for (const { field = '?', message } of errors) expect(message).toContain(field)
  return errors.map(({ field }) => field).toSorted()
}

describe('everything that is wrong with an input is reported at once', () => {
  it('of a new device, each with its path', async ({ acme }) => {
    const answer = await acme.call(CREATE, {
      input: {
        name: ' ',
        description: 'x'.repeat(2000),
        firmwareVersion: '',
        tags: [''],
        location: { latitude: 200, longitude: -500, timeZone: 'Mars/Base', name: 'x'.repeat(300) },
      },
    })
    expect(fieldsOf(answer)).toEqual([
      'description',
      'firmwareVersion',
      'location.latitude',
      'location.longitude',
      'location.name',
      'location.timeZone',
      'name',
      'tags',
    ])
    expect(answer.errors.map(({ path }) => path)).toEqual(Array(8).fill(['made']))
    expect(answer.data).toEqual({ made: null })
  })

  it('of a change of a device', async ({ acme }) => {
    const input = { name: null, enabled: null, tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }
    expect(fieldsOf(await acme.call(UPDATE, { input }))).toEqual(['enabled', 'name', 'tags'])
  })

  it('of a new key', async ({ acme }) => {
    const input = { label: '', requestsPerSecond: 0, requestsPerDay: 0, allowedNetworks: ['nowhere'] }
    const wrong = ['allowedNetworks', 'label', 'requestsPerDay', 'requestsPerSecond']
    expect(fieldsOf(await acme.call(GENERATE, { input }))).toEqual(wrong)
  })

  it('of a policy', async ({ acme }) => {
    const input = { maxKeys: 0, maxLifetimeDays: 0, allowedNetworks: ['nowhere'] }
    expect(fieldsOf(await acme.call(POLICY, { input }))).toEqual(['allowedNetworks', 'maxKeys', 'maxLifetimeDays'])
  })

  it('of an invitation', async ({ acme }) => {
    expect(fieldsOf(await acme.call(INVITE, { input: { email: 'nobody', name: '' } }))).toEqual(['email', 'name'])
  })

  it('of values that do not fit their types', async ({ acme }) => {
    const answer = await acme.call(CREATE, { input: { name: 1, enabled: 'yes', tags: [2], firmwareVersion: {} } })
    expect(fieldsOf(answer)).toEqual(['input.enabled', 'input.firmwareVersion', 'input.name', 'input.tags[0]'])
  })

  it('of a new account', async ({ world }) => {
    const { status, body } = await world.post('/auth/sign-up', { email: 'nobody', name: '', password: 'short' })
    const { errors } = body as { errors: { extensions: { field: string } }[] }
    expect([status, errors.map(({ extensions }) => extensions.field)]).toEqual([400, ['email', 'name', 'password']])
  })
})
