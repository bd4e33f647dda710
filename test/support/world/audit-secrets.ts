import { expect } from 'vitest'
import { PASSWORD, type World } from './world.ts'

/** After many operations: none of them has written a secret, in whatever form. */
export async function expectNoSecretInAuditLog(world: World): Promise<void> {
  const { read } = world.database
  const [events, keys, users, invitations, sessions] = await Promise.all([
    read.selectFrom('auditEvent').selectAll().execute(),
    read.selectFrom('apiKey').select('secretHash').execute(),
    read.selectFrom('user').select('passwordHash').execute(),
    read.selectFrom('invitation').select('tokenHash').execute(),
    read.selectFrom('session').select('tokenHash').execute(),
  ])
  const hashes = [
    ...keys.map(({ secretHash }) => secretHash),
    ...[...invitations, ...sessions].map((row) => row.tokenHash),
  ]
  const log = JSON.stringify(events)
  expect(events.filter(({ changes }) => changes !== null).length).toBeGreaterThan(100)
  expect(log).not.toMatch(/em[a-z]_[0-9A-Za-z]{20}/)
  expect(log).not.toContain(PASSWORD)
  for (const { passwordHash } of users) expect(log).not.toContain(passwordHash.slice(-20))
  for (const hash of hashes)
    for (const form of ['hex', 'base64', 'base64url'] as const)
      expect(log).not.toContain(Buffer.from(hash).toString(form).slice(0, 20))
}
