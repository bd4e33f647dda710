import { describe, expect } from 'vitest'
import { schema } from '../../server/schema.ts'
import { inWorld } from '../support/fixtures.ts'
import type { Answer } from '../support/http.ts'
import { type Call, supportStaff } from '../support/people.ts'
import { PASSWORD, startWorld, type World } from '../support/world.ts'
import { OPERATIONS } from './operations.ts'

type Caller =
  | 'admin'
  | 'member'
  | 'stranger'
  | 'key'
  | 'foreign'
  | 'revoked'
  | 'supportHere'
  | 'support'
  | 'withoutKey'
  | 'signedOut'
type Callers = Record<Caller, Call>

const it = inWorld(startWorld)
  .extend('stranger', { scope: 'file' }, ({ world }) => world.signUp('Stranger'))
  .extend('support', { scope: 'file' }, async ({ world }) => {
    const support = await supportStaff(world, 'Support')
    await support.call('mutation { setApiKeysEnabled(enabled: true) { id } }') // on her personal account
    return support
  })
  .extend('foreign', { scope: 'file' }, async ({ world, stranger }) =>
    (await world.organization('Elsewhere', { admin: stranger })).generateKey(),
  )
  .extend('revoked', { scope: 'file' }, async ({ acme }) => {
    const revoked = await acme.generateKey()
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: revoked.id })
    return revoked
  })
  .extend(
    'callers',
    { scope: 'file' },
    ({ world, acme, bob, stranger, support, key, foreign, revoked }): Callers => ({
      admin: acme.call,
      member: (document, vars) => bob.call(document, vars, acme.slug),
      stranger: (document, vars) => stranger.call(document, vars, acme.slug),
      key: world.asKey(key.secret).call,
      foreign: world.asKey(foreign.secret).call,
      revoked: world.asKey(revoked.secret).call,
      supportHere: (document, vars) => support.call(document, vars, acme.slug),
      support: support.call,
      withoutKey: world.nobody().call,
      signedOut: (document, vars) => signedOut(world, document, vars),
    }),
  )

const outcome = ({ errors }: Answer) => errors[0]?.code ?? 'ok'

it('every operation of the schema is tested here', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  expect(Object.keys(OPERATIONS).sort()).toEqual(fields.sort())
})

describe.for(Object.entries(OPERATIONS))('%s', ([_name, { document, variables = async () => ({}), ...expected }]) => {
  it.for<[string, Caller, string]>([
    ['K2: an Admin', 'admin', expected.admin],
    ['K2: a Member', 'member', expected.member],
    ['A3: a stranger, at this organization', 'stranger', 'NOT_FOUND'],
    ['K6: a key', 'key', expected.key],
    ['A3: a key of another organization', 'foreign', expected.foreign],
    ['A5: a revoked key', 'revoked', 'API_KEY_INVALID'],
    ['support, at this organization', 'supportHere', 'NOT_FOUND'],
    ['support, in the own account', 'support', expected.support],
    ['A2: nobody, without a key', 'withoutKey', 'UNAUTHENTICATED'],
    ['nobody, signed out', 'signedOut', 'UNAUTHENTICATED'],
  ])('%s', async ([_who, caller, wanted], { acme, stranger, callers }) => {
    const vars = await variables({ acme, stranger })
    expect(outcome(await callers[caller](document, vars))).toBe(wanted)
  })
})

it('C8: after every operation by every caller, the audit log holds no secret, no password and no hash', async ({
  world,
}) => {
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
})

async function signedOut(world: World, query: string, variables: object = {}): Promise<Answer> {
  const { status, body, headers } = await world.post('/portal/graphql', { query, variables })
  const { data, errors = [] } = body as { data?: unknown; errors?: { message: string; extensions: { code: string } }[] }
  return { status, data, headers, errors: errors.map((error) => ({ ...error, code: error.extensions.code })) }
}
