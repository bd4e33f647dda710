import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { startMailWorld } from '../../test/support/world/mail-world.ts'
import { fieldOf, joined, peopleAs } from '../../test/support/world/people.ts'
import { DAY, MINUTE } from '../lib/clock.ts'
import { queueMail } from './mail.ts'

const it = inOwnWorld(startMailWorld)

for (const loss of ['is removed', 'becomes a Member']) {
  it(`C13: an Admin who ${loss} gets none of the emails that are still queued`, async ({ world, ada, acme }) => {
    const bob = await joined(world, acme, 'Bob', 'ADMIN')
    const { smtp, emailWorker, clock, database } = world
    await emailWorker.deliver()
    smtp.become('refuses the email')
    const queued = [ada, bob].map(({ email: recipient }) => ({
      organizationId: acme.id,
      kind: 'KEY_EXPIRY' as const,
      recipient,
      subject: 'A key expires',
      text: 'Soon.',
      usefulUntil: clock.now() + DAY,
    }))
    await database.transaction((db) => queueMail(db, clock.now(), queued))
    await emailWorker.deliver()
    const people = peopleAs(acme.call)
    fieldOf(await (loss === 'is removed' ? people.remove(bob.userId) : people.changeRole(bob.userId, 'MEMBER')))
    smtp.become('takes')
    smtp.received.length = 0
    clock.advance(MINUTE)
    await emailWorker.deliver()
    expect(smtp.received.flatMap(({ to }) => to)).toEqual([ada.email])
  })
}
