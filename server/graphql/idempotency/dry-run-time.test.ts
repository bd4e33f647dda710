import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { byKey, codesIn } from '../../../test/support/world/keyed-calls.ts'
import { codesOf } from '../../../test/support/world/people.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const it = inOrganization(startWorld)

const MANY = 'createDevices(inputs: $inputs) { results { device { id } } }'
const inputs = Array.from({ length: 500 }, (_, i) => ({
  name: `edge-${i}`,
  tags: Array.from({ length: 20 }, (_, tag) => `tag-${tag}`),
}))

it('the time of a dry run is bounded also where it revokes, and that of a revoke is not', async ({
  world,
  acme,
  key,
}) => {
  const { id } = await acme.generateKey()
  const hurried = await startWorld({ beside: world, transactionMs: 10 })
  try {
    const query = `mutation ($inputs: [CreateDeviceInput!]!) { revokeApiKey(id: "${id}") { ids } ${MANY} }`
    const dry = await byKey(hurried, key.secret)({ query, variables: { inputs }, extensions: { dryRun: true } })
    expect(codesIn(dry)).toEqual(['UNAVAILABLE'])
    expect(codesOf(await hurried.asKey(key.secret).call(`mutation { revokeApiKey(id: "${id}") { ids } }`))).toEqual([])
  } finally {
    await hurried.close()
  }
})
