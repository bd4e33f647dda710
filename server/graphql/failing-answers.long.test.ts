import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = inWorld(startWorld)

it('C16: an answer that would be too long is refused, and one of the same cost is not', async ({ world }) => {
  const eve = await world.signUp('Long')
  const inputs = Array.from({ length: 140 }, (_, i) => ({ name: `long-${i}`, description: '😀'.repeat(1000) }))
  for (let from = 0; from < inputs.length; from += 50)
    await eve.call(
      'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { device { id } } } }',
      {
        inputs: inputs.slice(from, from + 50),
      },
    )
  const query = (field: string) =>
    `{ devices(first: 140) { data { ${Array.from({ length: 30 }, (_, i) => `f${i}: ${field}`).join(' ')} } } }`
  expect(await eve.call(query('name'))).toMatchObject({ data: { devices: { data: { length: 140 } } } })
  const { data, errors } = await eve.call(query('description'))
  expect(data ?? null).toBeNull()
  expect(errors).toMatchObject([
    { message: expect.stringContaining('longer than 8000000'), extensions: { code: 'QUERY_TOO_COMPLEX' } },
  ])
})

it('entries of a list that fail at once and later end nothing', async ({ world }) => {
  const eve = await world.signUp('Eve')
  await eve.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
  const { data } = await eve.call('mutation { generateApiKey(input: { label: "a" }) { apiKey { id } } }')
  const { id } = (data as { generateApiKey: { apiKey: { id: string } } }).generateApiKey.apiKey
  await eve.call(
    `mutation { rotateApiKey(id: "${id}") { apiKey { id } } b: generateApiKey(input: { label: "b" }) { secret } }`,
  )
  const fields = ['usage(since: "x") { at }', 'invitedUsers(first: 0) { totalCount }']
  for (const field of fields) {
    const query = `{ apiKeys(first: 4, sort: { by: LABEL }) { data { replacedBy { id } ${field} } } }`
    for (let times = 0; times < 2; times++)
      expect(await eve.call(query)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
  }
  await new Promise(setImmediate) // Vitest fails if a rejection is left that nobody handles
})
