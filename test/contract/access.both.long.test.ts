import { describe, expect } from 'vitest'
import { schema } from '../../server/endpoints/schema.ts'
import { expectNoSecretInAuditLog } from '../support/world/audit-secrets.ts'
import { inWorld } from '../support/world/fixtures.ts'
import type { Answer } from '../support/world/http.ts'
import { type Call, supportStaff } from '../support/world/people.ts'
import { signedOut } from '../support/world/signed-out.ts'
import { startWorld } from '../support/world/world.ts'
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

it('C8: after every operation by every caller, the audit log holds no secret, no password and no hash', ({ world }) =>
  expectNoSecretInAuditLog(world))
