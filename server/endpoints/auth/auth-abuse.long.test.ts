import { expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { refusalOf } from '../../../test/support/world/people.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import { LIMITS } from '../../config/limits.ts'
import { mintSecret } from '../../secrets/secret.ts'

const it = inWorld(startWorld)

it('C16: a text that is expensive to normalize is refused unread, on every route and in every field', async ({
  world,
}) => {
  const fields = {
    'sign-up': ['email', 'password', 'name'],
    'sign-in': ['email', 'password'],
    'forgot-password': ['email'],
    'reset-password': ['token', 'password'],
    invitation: ['token'],
    'accept-invitation': ['token', 'name', 'password'],
  }
  const short = { email: 'a@example.com', password: 'x', name: 'x', token: 'x' }
  for (const [path, names] of Object.entries(fields)) {
    for (const field of names) {
      const answer = await world.post(`/auth/${path}`, { ...short, [field]: 'ﷺ'.repeat(2049) })
      expect(refusalOf(answer), path).toMatchObject({ code: 'BAD_USER_INPUT', message: `${field}: too long.` })
    }
  }
})

it('C16: signing out without a session does not wait for a write', async ({ world }) => {
  const answer = await world.database.transaction(() =>
    world.post('/auth/sign-out', {}, { cookie: `portal-session=${mintSecret('ems_')}` }),
  )
  expect(answer.status).toBe(200)
})

it('C16: one source sends at most 600 requests a minute to /auth, successful or not', async ({ world }) => {
  const statuses = new Map<number, number>()
  for (let sent = 0; sent < LIMITS.auth_requests + 10; sent += 50) {
    const ask = () => world.post('/auth/invitation', { token: 'none' })
    for (const { status } of await Promise.all(Array.from({ length: 50 }, ask))) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const refused = await world.post('/auth/invitation', { token: 'none' })
  expect(refusalOf(refused)).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  expect(statuses.get(404)).toBeGreaterThan(500)
})
