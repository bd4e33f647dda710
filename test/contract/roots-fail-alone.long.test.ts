import { expect } from 'vitest'
import { inWorld } from '../support/world/fixtures.ts'
import { startWorld } from '../support/world/world.ts'

const it = inWorld(startWorld)

const QUERY = `{ viewer { role } webhooks { id } sessions { id } overview { devices { total } }
  apiKeyPolicy { maxKeys } emails { totalCount } expiringApiKeys { apiKey { id } } canaryApiKeys { id } }`

it('a root field that is refused is null, and the others of the same request are answered', async ({ world, acme }) => {
  const { secret } = await acme.generateKey({ access: 'DEVICES' })
  const refused = ['webhooks', 'sessions', 'overview', 'apiKeyPolicy', 'emails', 'expiringApiKeys', 'canaryApiKeys']
  for (let i = 0; i < 3; i++) {
    const { data, errors } = await world.asKey(secret).call(QUERY) // from the second time on, compiled
    expect(data).toEqual({
      viewer: { role: 'ADMIN' },
      ...Object.fromEntries(refused.map((field) => [field, null])),
    })
    expect(errors.map(({ code }) => code)).toEqual(refused.map(() => 'FORBIDDEN'))
  }
})
