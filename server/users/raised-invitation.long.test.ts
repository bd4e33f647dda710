import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { eventsOf, fieldOf, invited, peopleAs } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = inOrganization(startWorld)

it('C13: a key that raises the invitation of another key ends its link; that of a person, and its own, it does not', async ({
  world,
  acme,
  key,
}) => {
  const asKey = world.asKey(key.secret).call
  const another = world.asKey((await acme.generateKey()).secret).call
  const ofEach = [
    await invited(another, { email: 'lin@example.com' }),
    await invited(asKey, { email: 'kim@example.com' }),
    await invited(acme.call, { email: 'sam@example.com' }),
  ]
  for (const { user } of ofEach) fieldOf(await peopleAs(asKey).changeRole(user.id, 'ADMIN'))
  const seen = await Promise.all(ofEach.map(({ token }) => world.post('/auth/invitation', { token })))
  expect(seen.map(({ status }) => status)).toEqual([404, 200, 200])
})

it('C13: a person who raises the invitation of a key ends the link that the key knows', async ({
  world,
  acme,
  key,
}) => {
  const { token, user } = await invited(world.asKey(key.secret).call, { email: 'lin@example.com' })
  fieldOf(await peopleAs(acme.call).changeRole(user.id, 'ADMIN'))
  const accept = { token, name: 'Mole', password: 'correct horse battery' }
  expect((await world.post('/auth/invitation', { token })).status).toBe(404)
  expect((await world.post('/auth/accept-invitation', accept)).status).toBe(404)
  const [event] = eventsOf(await peopleAs(acme.call).audit())
  expect(event?.details).toBe('MEMBER to ADMIN; the link that the key had created is void')
})
