import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { byKey, byPerson, codesIn, dataOf, newHeader } from '../../../test/support/world/keyed-calls.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'
import type { Tables } from '../../db/tables.ts'
import { hashSecret } from '../../secrets/secret.ts'

const CREATE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id name status } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids durable } }'
const DRY = { extensions: { dryRun: true } }

const it = inOrganization(startWorld)
  .extend('asKey', ({ world, key }) => byKey(world, key.secret))
  .extend('asAda', ({ world, ada, acme }) => byPerson(world, ada, acme))

const WRITTEN: (keyof Tables)[] = [
  ...(['organization', 'membership', 'invitation', 'session', 'apiKey', 'deletedApiKey', 'revokedApiKey'] as const),
  ...(['device', 'deviceTag', 'deviceCount', 'auditEvent', 'email', 'revocation', 'revocationState'] as const),
  'idempotencyRecord',
]

/** Everything that a mutation could change, in short, and how far the ledger has come. */
async function everything({ database: { read, point } }: World): Promise<Record<string, string>> {
  const found: Record<string, string> = { point: JSON.stringify([point.seen, point.ledger.head(), point.isDoubted]) }
  for (const table of WRITTEN) {
    const rows = await read.selectFrom(table).selectAll().execute()
    const texts = rows.filter(isOfMutations).map((row) => JSON.stringify(row, withoutUse))
    found[table] = Buffer.from(hashSecret(texts.toSorted().join())).toString('base64') // PostgreSQL has no order of rows
  }
  return found
}

/** Refusals are in the audit log a little later, also those of other tests. */
const isOfMutations = (row: object) => !('action' in row && String(row.action).endsWith('.refused'))

/** When a key or a session was used last is written by any call. */
const withoutUse = (name: string, value: unknown) => (/^last(Used|Seen)/.test(name) ? undefined : value)

describe('a dry run', () => {
  it('answers with what would have been, and writes nothing', async ({ world, asKey }) => {
    const before = await everything(world)
    const answer = await asKey({ query: CREATE, variables: { input: { name: 'dry', tags: ['a'] } }, ...DRY })
    expect(answer.body).toEqual({
      data: { createDevice: { id: expect.any(String), name: 'dry', status: 'NEVER_SEEN' } },
      extensions: { dryRun: true },
    })
    expect(await everything(world)).toEqual(before)
  })

  it('of a revoke leaves the key and the ledger as they are', async ({ world, acme, asAda }) => {
    const { id, secret } = await acme.generateKey()
    const before = await everything(world)
    const answer = await asAda({ query: REVOKE, variables: { id }, ...DRY })
    expect(answer.body).toEqual({
      data: { revokeApiKey: { ids: [id], durable: true } },
      extensions: { dryRun: true },
    })
    expect(await everything(world)).toEqual(before)
    expect(await world.accepts(secret)).toBe(true)
    expect(world.database.point.isDoubted).toBe(false)
  })

  it('of a revoke of many says which they are', async ({ world, acme, asAda }) => {
    const keys = [await acme.generateKey(), await acme.generateKey()]
    const before = await everything(world)
    const query = 'mutation { revokeApiKeys(input: { all: true }) { ids } }'
    const answer = await asAda({ query, ...DRY })
    const { ids } = dataOf<{ ids: string[] }>(answer)
    expect(ids.toSorted()).toEqual(keys.map(({ id }) => id).toSorted())
    expect(await everything(world)).toEqual(before)
  })

  it('of revokes one after the other is no reason to doubt the database afterwards', async ({ world, acme, asAda }) => {
    const keys = [await acme.generateKey(), await acme.generateKey()]
    const fields = keys.map(({ id }, i) => `r${i}: revokeApiKey(id: "${id}") { ids }`)
    const before = await everything(world)
    const answer = await asAda({ query: `mutation { ${fields.join(' ')} }`, ...DRY })
    expect(answer.body.errors).toBeUndefined()
    for (const { secret } of keys) expect(await world.accepts(secret)).toBe(true)
    expect(await everything(world)).toEqual(before)
  })

  it('has the errors that there would have been', async ({ world, asKey }) => {
    await asKey({ query: CREATE, variables: { input: { name: 'taken' } } })
    const before = await everything(world)
    const taken = await asKey({ query: CREATE, variables: { input: { name: 'taken' } }, ...DRY })
    expect([taken.body.data, codesIn(taken), taken.body.extensions]).toEqual([
      { createDevice: null },
      ['CONFLICT'],
      { dryRun: true },
    ])
    const bad = await asKey({ query: CREATE, variables: { input: { name: ' ' } }, ...DRY })
    expect(codesIn(bad)).toEqual(['BAD_USER_INPUT'])
    expect(await everything(world)).toEqual(before)
  })

  it('of several fields does them one after the other, each seeing those before it', async ({ world, asKey }) => {
    const before = await everything(world)
    const field = (alias: string, name: string) => `${alias}: createDevice(input: { name: "${name}" }) { name }`
    const query = `mutation { ${field('a', 'first')} ${field('b', 'first')} ${field('c', 'second')} }`
    const answer = await asKey({ query, ...DRY })
    expect(answer.body.data).toEqual({ a: { name: 'first' }, b: null, c: { name: 'second' } })
    expect(codesIn(answer)).toEqual(['CONFLICT'])
    expect(await everything(world)).toEqual(before)
  })

  it('with an Idempotency-Key is not recorded: the same key does it afterwards', async ({ asKey }) => {
    const headers = newHeader()
    const request = { query: CREATE, variables: { input: { name: 'later' } } }
    await asKey({ ...request, ...DRY }, headers)
    const done = await asKey(request, headers)
    expect([done.body.errors, done.isReplayed]).toEqual([undefined, false])
  })

  it('needs the same rights', async ({ world, bob, acme }) => {
    const answer = await byPerson(world, bob, acme)({ query: CREATE, variables: { input: { name: 'x' } }, ...DRY })
    expect(codesIn(answer)).toEqual(['FORBIDDEN'])
  })

  const secrets = [
    'generateApiKey { secret }',
    'generateCanaryApiKey(label: "bait") { secret }',
    'inviteUser(input: { email: "eve@example.com" }) { link }',
    'rotateApiKey(id: "x") { secret }',
  ]
  for (const field of secrets) {
    it(`of what makes a secret is refused: ${field.split(/\W/)[0]}`, async ({ world, asAda }) => {
      const before = await everything(world)
      const answer = await asAda({ query: `mutation { createOrganization(name: "x") { id } ${field} }`, ...DRY })
      expect([answer.status, codesIn(answer), answer.body.data]).toEqual([400, ['BAD_REQUEST'], undefined])
      expect(answer.body.errors?.[0]?.message).toContain('does not support a dry run')
      expect(await everything(world)).toEqual(before)
    })
  }

  it('of a query is the query', async ({ asKey }) => {
    const answer = await asKey({ query: '{ viewer { role } }', ...DRY })
    expect(answer.body).toEqual({ data: { viewer: { role: 'ADMIN' } }, extensions: { dryRun: true } })
  })

  for (const dryRun of ['true', 1, {}, []]) {
    it(`is true or false: not ${JSON.stringify(dryRun)}`, async ({ world, asKey }) => {
      const before = await everything(world)
      const request = { query: CREATE, variables: { input: { name: 'x' } }, extensions: { dryRun } }
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const answer = await asKey(request, { accept })
        expect([answer.status, codesIn(answer)]).toEqual([400, ['BAD_REQUEST']])
      }
      expect(await everything(world)).toEqual(before)
    })
  }

  it.for(['dryrun', 'DryRun', 'dry_run', 'dry-run'])(
    'that is misspelt does nothing: %s',
    async (name, { world, asKey }) => {
      const before = await everything(world)
      const answer = await asKey({ query: CREATE, variables: { input: { name: 'x' } }, extensions: { [name]: true } })
      expect([answer.status, codesIn(answer)]).toEqual([400, ['BAD_REQUEST']])
      expect(await everything(world)).toEqual(before)
    },
  )

  it('is none with dryRun false or other extensions', async ({ asKey }) => {
    for (const extensions of [{ dryRun: false }, { dryRun: null }, { persistedQuery: {} }, null]) {
      const answer = await asKey({ query: '{ viewer { role } }', extensions })
      expect(answer.text).toBe('{"data":{"viewer":{"role":"ADMIN"}}}')
    }
  })
})
