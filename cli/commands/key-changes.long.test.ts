import { expect } from 'vitest'
import { deleteRowsOfDeletedKeys } from '../../server/api-keys/deletion.ts'
import { newId } from '../../server/lib/id.ts'
import { startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import type { TestKey, World } from '../../test/support/world/world.ts'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id, includeDescendants: true) { ids } }'
const GENERATE = 'mutation { generateApiKey(input: { label: "child" }) { secret apiKey { id label } } }'

const it = inOrganization(startWithCommandLine).extend('leaked', ({ acme }) => acme.generateKey({ label: 'leaked' }))

async function generatedBy(world: World, { secret }: TestKey): Promise<TestKey> {
  const made = fieldOf<{ secret: string; apiKey: Omit<TestKey, 'secret'> }>(await world.asKey(secret).call(GENERATE))
  return { ...made.apiKey, secret: made.secret }
}

it('lists the changes of a revoked key and of the keys that it created, without being told the organization', async ({
  world,
  acme,
  leaked,
}) => {
  const child = await generatedBy(world, leaked)
  await world.asKey(child.secret).call(CREATE, { name: 'edge-1' })
  await acme.call(REVOKE, { id: leaked.id })
  await deleteRowsOfDeletedKeys(world.database)
  const { code, stdout, stderr } = await world.portal.run(['key', 'changes', leaked.id])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'then').split('\n')).toEqual([
    `Changes by the key ${leaked.id} of ${acme.slug} and by 1 key that it created, the newest first:`,
    '',
    `then UTC  child (${child.id})  DEVICE_CREATED  edge-1  from 127.0.0.1`,
    '    name: - → edge-1',
    '    enabled: - → true',
    '    tags: - → []',
    `then UTC  leaked (${leaked.id})  API_KEY_GENERATED  child  from 127.0.0.1`,
    '    label: - → child',
    '    access: - → ADMIN',
    '',
    '2 changes.',
    '',
  ])
})

it('prints one JSON document, also of many changes', async ({ world, acme, leaked }) => {
  const at = world.clock.now()
  const actor = { actorKind: 'API_KEY', actorId: leaked.id, actorName: 'leaked' } as const
  const event = { organizationId: acme.id, at, action: 'device.updated', ...actor }
  await world.database.transaction(async (db) => {
    for (let part = 0; part < 3; part++)
      await db
        .insertInto('auditEvent')
        .values(Array.from({ length: 400 }, (_, i) => ({ id: newId(at), ...event, subject: `edge-${400 * part + i}` })))
        .execute()
  })
  const answer = await world.portal.answerOf<{ changes: { subject: string }[] }>(['key', 'changes', leaked.id])
  expect(answer).toMatchObject({ key: leaked.id, organization: acme.slug, keyCount: 1, isComplete: true })
  expect(answer.changes.map(({ subject }) => subject)).toEqual(
    Array.from({ length: 1200 }, (_, i) => `edge-${1199 - i}`),
  )
  expect(answer.changes[0]).toEqual({
    id: expect.any(String),
    at: new Date(at).toISOString(),
    organization: acme.slug,
    action: 'DEVICE_UPDATED',
    actor: { kind: 'API_KEY', id: leaked.id, name: 'leaked' },
    subject: 'edge-1199',
    subjectType: null,
    subjectId: null,
    details: null,
    changes: null,
    ip: null,
  })
})

it('prints an empty list as JSON, and from a moment on', async ({ world, leaked }) => {
  await world.asKey(leaked.secret).call(CREATE, { name: 'edge-1' })
  const since = ['--since', '2999-01-01']
  expect(await world.portal.answerOf(['key', 'changes', leaked.id, ...since])).toMatchObject({ changes: [] })
  expect((await world.portal.run(['key', 'changes', leaked.id, ...since])).stdout).toMatch(/\nNone\.\n$/)
})

it('prints CSV in which nothing runs as a formula', async ({ world, leaked }) => {
  await world.asKey(leaked.secret).call(CREATE, { name: '=1+1,"x";＝2;\u3000=3' })
  const { stdout } = await world.portal.run(['key', 'changes', leaked.id, '--csv'])
  const [head, ...lines] = stdout.split('\r\n')
  expect(head).toBe('Time,Key,Key id,Action,Subject type,Subject,Subject id,Field,Before,After,IP address,Event id')
  expect(lines[0]).toContain(`,leaked,${leaked.id},DEVICE_CREATED,DEVICE,"'=1+1,""x"";'＝2;'\u3000=3",`)
  expect(lines[0]).toContain(`,name,,"'=1+1,""x"";'＝2;'\u3000=3",127.0.0.1,`)
  expect(lines.map((line) => line.split(',').length > 1)).toEqual([true, true, true, false])
})

it('refuses an unknown key, a key of another organization, and --json with --csv', async ({ world, ada, leaked }) => {
  const globex = await world.organization('Globex', { admin: ada })
  for (const args of [[newId(0)], ['x'], ["%'"], [leaked.id, '--org', globex.slug]])
    expect(await world.portal.refusalOf(['key', 'changes', ...args])).toMatchObject({
      code: 1,
      error: { code: 'NOT_FOUND' },
    })
  expect(await world.portal.refusalOf(['key', 'changes', leaked.id, '--csv'])).toMatchObject({ code: 2 })
})
