import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { startMailWorld } from '../../test/support/world/mail-world.ts'
import { eventsOf, fieldOf, invited, peopleAs } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'

const it = inOrganization(startMailWorld)
const itWithoutMail = inOrganization(startWorld)
const REFUSED = [{ code: 'CONFLICT', message: expect.stringContaining('invite them again as an Admin') }]

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

it('an invitation of a key is not raised if no link can be sent because the address got too many', async ({
  world,
  acme,
  key,
}) => {
  const asKey = world.asKey(key.secret).call
  for (let i = 0; i < 2; i++) await invited(asKey, { email: 'eve@example.com' })
  const { token, user } = await invited(asKey, { email: 'eve@example.com' })
  const { changeRole, audit } = peopleAs(acme.call)
  const before = eventsOf(await audit())
  expect((await changeRole(user.id, 'ADMIN')).errors).toMatchObject(REFUSED)
  expect((await world.post('/auth/invitation', { token })).body).toMatchObject({ role: 'MEMBER' })
  expect(eventsOf(await audit())).toEqual(before)
  const again = await invited(acme.call, { email: 'eve@example.com', role: 'ADMIN' })
  expect((await world.post('/auth/invitation', { token: again.token })).body).toMatchObject({ role: 'ADMIN' })
})

itWithoutMail('an invitation of a key is not raised without a mail server', async ({ world, acme, key }) => {
  const { token, user } = await invited(world.asKey(key.secret).call, { email: 'lin@example.com' })
  expect((await peopleAs(acme.call).changeRole(user.id, 'ADMIN')).errors).toMatchObject(REFUSED)
  expect((await world.post('/auth/invitation', { token })).body).toMatchObject({ role: 'MEMBER' })
})
