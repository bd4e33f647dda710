import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { insertEvent } from '../../server/audit/audit-event.ts'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'

const it = inWorld(startWithCommandLine)

const linesIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

it('writes the events of all organizations as JSON lines, the oldest first', async ({ world, acme, bob }) => {
  await acme.call('mutation { createDevice(input: { name: "edge-1" }) { id } }')
  const { code, stdout, stderr } = await world.portal.run(['audit', 'export'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const events = linesIn(stdout)
  const { count } = await world.database.read
    .selectFrom('auditEvent')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(events).toHaveLength(count)
  expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted())
  expect(new Set(events.map(({ organization }) => organization))).toContain(bob.personalSlug)
  expect(events.at(-1)).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    organization: acme.slug,
    action: 'DEVICE_CREATED',
    actor: { kind: 'USER', id: acme.admin.userId, name: 'Ada' },
    subject: 'edge-1',
    subjectType: 'DEVICE',
    subjectId: expect.any(String),
    details: expect.stringMatching(/^device /),
    changes: [
      { field: 'name', before: null, after: 'edge-1' },
      { field: 'enabled', before: null, after: true },
      { field: 'tags', before: null, after: [] },
    ],
    ip: '127.0.0.1',
  })
})

it('writes a new file that only its owner may read, of one organization and up to a date', async ({ world, acme }) => {
  const folder = temporaryFolder()
  const file = join(folder, 'events.jsonl')
  const early = Date.UTC(2020, 0, 1)
  const event = { action: 'device.updated', subject: 'a\u202e\nb', organizationId: acme.id } as const
  const actor = { kind: 'SYSTEM', id: null, name: 'portal' } as const
  await world.database.transaction((db) => insertEvent(db, early, { ...event, actor }))
  const args = ['audit', 'export', file, '--org', acme.slug, '--before', '2020-01-02']
  expect(await world.portal.answerOf(args)).toEqual({ file, events: 1 })
  const [exported] = linesIn(readFileSync(file, 'utf8'))
  expect(exported).toMatchObject({ organization: acme.slug, at: '2020-01-01T00:00:00.000Z', action: 'DEVICE_UPDATED' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['events.jsonl'])
})

it('pages through many events without losing or repeating one', async ({ world, acme }) => {
  const many = Array.from({ length: 2500 }, (_, index) => Date.UTC(2021, 0, 1) + (index % 7))
  const actor = { kind: 'SYSTEM', id: null, name: 'portal' } as const
  await world.database.transaction(async (db) => {
    for (const at of many)
      await insertEvent(db, at, { action: 'device.updated', subject: 'x', actor, organizationId: acme.id })
  })
  const { stdout } = await world.portal.run(['audit', 'export', '--org', acme.slug, '--before', '2021-01-02'])
  const ids = linesIn(stdout).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThanOrEqual(many.length)
  expect(ids).toEqual(ids.toSorted())
})

it('does not replace a file, and leaves none behind when it fails', async ({ world }) => {
  const folder = temporaryFolder()
  const file = join(folder, 'events.jsonl')
  writeFileSync(file, 'mine')
  expect(await world.portal.refusalOf(['audit', 'export', file])).toMatchObject({
    code: 1,
    error: { message: `The file ${file} exists already: give another name, or remove it.` },
  })
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['mine', ['events.jsonl']])
  const nowhere = join(folder, 'nowhere', 'events.jsonl')
  expect(await world.portal.refusalOf(['audit', 'export', nowhere])).toMatchObject({ code: 1 })
  expect(await world.portal.refusalOf(['audit', 'export', join(folder, 'x'), '--org', 'none'])).toMatchObject({
    code: 1,
    error: { code: 'NOT_FOUND' },
  })
  expect(existsSync(join(folder, 'x'))).toBe(false)
})
