import { expect, it } from 'vitest'
import { startDemo, startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { codesOf, fieldOf } from '../support/world/people.ts'

const GENERATE = 'mutation { generateApiKey { secret apiKey { id } } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'
const WHO = '{ viewer { apiKey { id } } }'

it('K1, K10: of two processes on one folder, each accepts and refuses keys that the other has just generated and revoked', async () => {
  const folder = temporaryFolder()
  const first = await startDemo(folder)
  const second = await startPortal(folder)
  const both = [first, second] as const

  for (let i = 0; i < 10; i++) {
    const [one, other] = i % 2 === 0 ? both : ([second, first] as const)
    const made = await one.asKey(first.secret)(GENERATE)
    const { secret, apiKey } = fieldOf<{ secret: string; apiKey: { id: string } }>(made)
    expect((await other.asKey(secret)(WHO)).data).toEqual({ viewer: { apiKey } })
    expect((await one.asKey(secret)(WHO)).data).toEqual({ viewer: { apiKey } })

    fieldOf(await one.asKey(first.secret)(REVOKE, { id: apiKey.id }))
    const refused = [await other.asKey(secret)(WHO), await one.asKey(secret)(WHO)]
    expect(refused.map(({ status }) => status)).toEqual([401, 401])
    expect(refused.flatMap(codesOf)).toEqual(['API_KEY_INVALID', 'API_KEY_INVALID'])
  }
})

it('writers of two processes on one folder wait for each other, and nothing is lost', async () => {
  const folder = temporaryFolder()
  const first = await startDemo(folder)
  const second = await startPortal(folder)
  const names = Array.from({ length: 60 }, (_, i) => `from-both-${String(i).padStart(2, '0')}`)
  const create = 'mutation ($name: String!) { createDevice(input: { name: $name }) { name } }'

  const made = await Promise.all(
    names.map((name, i) => (i % 2 === 0 ? first : second).asKey(first.secret)(create, { name })),
  )
  expect(made.map((answer) => fieldOf<{ name: string }>(answer).name)).toEqual(names)
  const listed = await second.asKey(first.secret)('{ devices(search: "from-both") { data { name } } }')
  expect(fieldOf<{ data: { name: string }[] }>(listed).data.map(({ name }) => name)).toEqual(names)
})
