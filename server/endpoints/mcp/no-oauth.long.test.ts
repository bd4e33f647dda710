import { expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const it = inWorld(startWorld)

it('a client that looks for OAuth after a refused key is told where the key belongs', async ({ world }) => {
  for (const [method, path] of [
    ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['POST', '/register'],
  ] as const) {
    const answer = await fetch(`${world.url}${path}`, { method })
    expect(answer.status, path).toBe(404)
    expect(await answer.text(), path).toMatch(/an API key in the api-secret header \(no OAuth\)/)
  }
})
