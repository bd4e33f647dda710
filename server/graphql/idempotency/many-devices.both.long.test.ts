import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { byKey, codesIn, dataOf, newHeader } from '../../../test/support/world/keyed-calls.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'

const CREATE = `mutation ($inputs: [CreateDeviceInput!]!, $atomic: Boolean) {
  createDevices(inputs: $inputs, atomic: $atomic) { results { device { id name } error { code field } } }
}`
const DRY = { extensions: { dryRun: true } }

const it = inOrganization(startWorld).extend('asKey', ({ world, key }) => byKey(world, key.secret))

interface Results {
  results: { device: { id: string; name: string } | null; error: { code: string } | null }[]
}

/** The second name is there twice, the last one is empty. */
const inputs = ['one', 'two', 'two', ''].map((name) => ({ name }))

/** The input of 150 devices, which take several transactions. */
const many = Array.from({ length: 150 }, (_, i) => ({ name: `edge-${i}` }))

async function namesIn({ database }: World, organizationId: string): Promise<string[]> {
  const rows = await database.read
    .selectFrom('device')
    .select('name')
    .where('organizationId', '=', organizationId)
    .execute()
  return rows.map(({ name }) => name).toSorted()
}

const outcomesIn = ({ results }: Results) => results.map(({ device, error }) => device?.name ?? error?.code)

describe.each([
  ['one transaction', true],
  ['item by item', false],
] as const)('many devices in %s', (_how, atomic) => {
  it('run dry: the results that there would be, and no device', async ({ world, acme, asKey }) => {
    const request = { query: CREATE, variables: { inputs, atomic } }
    const dry = await asKey({ ...request, ...DRY })
    expect(dry.body.extensions).toEqual({ dryRun: true })
    expect(await namesIn(world, acme.id)).toEqual([])
    const real = await asKey(request)
    expect(outcomesIn(dataOf(dry))).toEqual(outcomesIn(dataOf(real)))
    expect(await namesIn(world, acme.id)).toEqual(atomic ? [] : ['one', 'two'])
  })

  it('are made once, whoever tries again, with the same results', async ({ world, acme, asKey }) => {
    const request = { query: CREATE, variables: { inputs: many, atomic } }
    const headers = newHeader()
    const [first, again] = [await asKey(request, headers), await asKey(request, headers)]
    expect([again.text, again.isReplayed]).toEqual([first.text, true])
    expect(outcomesIn(dataOf(first))).toEqual(many.map(({ name }) => name))
    expect(await namesIn(world, acme.id)).toHaveLength(many.length)
  })
})

it('a recorded answer is not shown to a key that is bound to another device by now', async ({ world, acme, asKey }) => {
  const made = await asKey({ query: CREATE, variables: { inputs: [{ name: 'one' }, { name: 'other' }] } })
  const [one, other] = dataOf<Results>(made).results.map(({ device }) => device?.id)
  const { id, secret } = await acme.generateKey({ access: 'CHECK_IN', deviceId: one })
  const query = `mutation { checkInDevices(inputs: [{ id: "${one}" }]) { results { device { id } } } }`
  const headers = newHeader()
  const send = () => byKey(world, secret)({ query }, headers)
  await send()
  expect((await send()).isReplayed).toBe(true)
  await acme.call(`mutation { updateApiKey(id: "${id}", input: { deviceId: "${other}" }) { id } }`)
  const refused = await send()
  expect([codesIn(refused), refused.isReplayed]).toEqual([['FORBIDDEN'], false])
})
