import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findApiKey } from '../../server/api-keys/api-key.ts'
import { keysMadeAfter } from '../../server/api-keys/changes/key-with-descendants.ts'
import { newestEventsOf } from '../../server/api-keys/changes/list-changes.ts'
import { oldestExpired } from '../../server/api-keys/expiry/expiry.ts'
import { listApiKeys } from '../../server/api-keys/list/list-keys.ts'
import { creatorsAmong } from '../../server/api-keys/policy/violations.ts'
import { descendantsOf } from '../../server/api-keys/rotation/lineage.ts'
import { daysBefore, hoursBefore } from '../../server/api-keys/usage/days.ts'
import { type AuditEventFilter, listAuditEvents } from '../../server/audit/audit-event.ts'
import { oldEvents } from '../../server/audit/audit-retention.ts'
import { eventsAfter } from '../../server/audit/export.ts'
import type { Ctx } from '../../server/caller/ctx.ts'
import { verifyKey } from '../../server/caller/verify-key.ts'
import { type DeviceListArgs, listDevices } from '../../server/devices/list-devices.ts'
import { findDevice } from '../../server/devices/stored-device.ts'
import { firstTags, MAX_COUNTED as MAX_COUNTED_OF_TAG, MAX_TAGS_IN_USE } from '../../server/devices/tags-in-use.ts'
import { lookUpSession } from '../../server/identity/session-lookup.ts'
import { firstIdAt } from '../../server/lib/id.ts'
import { encodeCursor } from '../../server/lib/page.ts'
import { countByStatus } from '../../server/overview/device-counts.ts'
import { keyRows } from '../../server/overview/key-states.ts'
import { idsOfLongOffline, MAX_COUNTED } from '../../server/overview/long-offline.ts'
import { mintSecret } from '../../server/secrets/secret.ts'
import { openPostgresPlans, type Plan, type PostgresPlans } from '../support/postgres/postgres-plans.ts'
import { BIG, FLEET_NOW, QUIET } from '../support/world/big-fleet.ts'
import { LOOPBACK } from '../support/world/called-from.ts'

const PAGE = 20
/** Rows of a table and of what is joined to it, with one more than the page has, and some that others have. */
const ROWS_OF_A_PAGE = 3 * (PAGE + 1)
/** Rows for a page of what one in 20 is, found among the others in the order of the list. */
const ROWS_AMONG_OTHERS = 25 * (PAGE + 1)
/** To see whether a status is rare, and then to take all that have it. */
const ROWS_OF_A_STATUS = 2 * 1001 + ROWS_OF_A_PAGE
/** One in 20 and one in 10 of the 10,000 devices of the big organization. */
const ROWS_ONLINE_OR_NEVER_SEEN = 1_750

let plans: PostgresPlans
let big: Ctx

beforeAll(async () => {
  plans = await openPostgresPlans()
  big = plans.ctxOf(BIG)
})
afterAll(() => plans.close())

/** How PostgreSQL goes about the one query in this: by its values, and as a statement that is used again and again. */
async function eachPlanOf(work: () => Promise<unknown>): Promise<Plan[]> {
  return Object.values(await plans.of(work))
}

async function expectFew(rows: number, work: () => Promise<unknown>): Promise<void> {
  for (const { steps, rowsRead } of await eachPlanOf(work)) {
    expect(steps.filter((step) => step.startsWith('Seq Scan'))).toEqual([])
    expect(rowsRead, steps.join(' ← ')).toBeLessThanOrEqual(rows)
  }
}

const after = encodeCursor(['edge-05000', ''])

it('an overview counts devices that are online or were never seen by index, each once', async () => {
  for (const { steps, rowsRead } of await eachPlanOf(() => countByStatus(big.reads, BIG, FLEET_NOW))) {
    expect(steps.filter((step) => step === 'Seq Scan on device')).toEqual([])
    expect(rowsRead, steps.join(' ← ')).toBeLessThanOrEqual(ROWS_ONLINE_OR_NEVER_SEEN)
  }
  await expectFew(100, () => keyRows(big.reads, BIG).execute())
  await expectFew(2 * MAX_COUNTED, () => idsOfLongOffline(big.reads, BIG, FLEET_NOW).execute())
})

it('tags in use are found one after the other by index, with at most 1,000 devices of each', async () => {
  await expectFew(MAX_TAGS_IN_USE * (MAX_COUNTED_OF_TAG + 2), () => firstTags(BIG, '').execute(big.reads))
})

describe('a page of devices reads little more than its rows, however many there are', () => {
  it.each<[string, DeviceListArgs]>([
    ['the first page', {}],
    ['a page far behind', { after }],
    ['a search', { search: 'edge-1' }],
    ['the next page of a search', { search: 'edge', after }],
    ['a search that finds nothing', { search: 'core' }],
    ['disabled devices', { filter: { enabled: false } }],
    ['disabled devices, the next page', { after, filter: { enabled: false } }],
    ['enabled devices', { filter: { enabled: true } }],
    ['a tag that all have', { filter: { tags: ['gateway'] } }],
    ['a tag that some have', { filter: { tags: ['lte'] } }],
    ['a tag, the next page', { after, filter: { tags: ['lte'] } }],
    ['a tag that nobody has', { filter: { tags: ['none'] } }],
    ['a tag and a search', { search: 'edge-1', filter: { tags: ['lte'] } }],
    ['devices that were never seen', { filter: { status: 'NEVER_SEEN' } }],
    ['devices that were never seen, the next page', { after, filter: { status: 'NEVER_SEEN' } }],
    ['the newest', { orderBy: { field: 'CREATED_AT', direction: 'DESC' } }],
    ['the oldest', { orderBy: { field: 'CREATED_AT' } }],
    ['the last changed', { orderBy: { field: 'UPDATED_AT', direction: 'DESC' } }],
    ['the last changed since a time', { orderBy: { field: 'UPDATED_AT' }, filter: { updatedSince: FLEET_NOW } }],
    ['the last seen', { orderBy: { field: 'LAST_SEEN_AT', direction: 'DESC' } }],
    ['names from the end', { orderBy: { field: 'NAME', direction: 'DESC' } }],
    ['by ids', { filter: { ids: ['x', 'y'] }, orderBy: { field: 'CREATED_AT' } }],
  ])('%s', (_name, args) => expectFew(ROWS_OF_A_PAGE, () => listDevices(big, { first: PAGE, ...args })))
})

it.each<[string, string, DeviceListArgs]>([
  ['many have', BIG, { filter: { status: 'OFFLINE' } }],
  ['many have, the next page', BIG, { after, filter: { status: 'OFFLINE' } }],
  ['few have', BIG, { filter: { status: 'ONLINE' } }],
  ['few have, with a tag', BIG, { filter: { status: 'ONLINE', tags: ['lte'] } }],
  ['nobody has', QUIET, { filter: { status: 'ONLINE' } }],
])(
  'devices by a status that %s: no more rows are read than needed to see how many there are',
  async (_name, organizationId, args) => {
    for (const { steps, rowsRead } of await eachPlanOf(() =>
      listDevices(plans.ctxOf(organizationId), { first: PAGE, ...args }),
    )) {
      expect(rowsRead, steps.join(' ← ')).toBeLessThanOrEqual(ROWS_OF_A_STATUS)
    }
  },
)

it('two tags: both indexes are read side by side', () =>
  expectFew(2 * ROWS_AMONG_OTHERS, () => listDevices(big, { first: PAGE, filter: { tags: ['gateway', 'lte'] } })))

describe('a page of audit events reads little more than its rows', () => {
  it.each<[string, AuditEventFilter & { after?: string }]>([
    ['the newest', {}],
    ['a page far behind', { after: encodeCursor([firstIdAt(5000)]) }],
    ['by actor', { actorId: 'u-5' }],
    ['an action that never happened', { action: 'user.left' }],
    ['about something to which nothing happened', { subjectId: 'x' }],
  ])('%s', (_name, { after, ...filter }) =>
    expectFew(ROWS_OF_A_PAGE, () => listAuditEvents(big, { first: PAGE, after, filter })),
  )

  it('from a time long ago', () =>
    expectFew(ROWS_AMONG_OTHERS, () => listAuditEvents(big, { first: PAGE, filter: { since: 100, until: 200 } })))

  it('a time is found to the millisecond', async () => {
    const { data } = await listAuditEvents(big, { first: 200, filter: { since: 100, until: 200 } })
    expect(data.map(({ at }) => Number(at))).toEqual(
      Array.from({ length: 100 }, (_, i) => 199 - i).filter((at) => at % 3 !== 0),
    )
  })

  it('the newest of an organization that has had none recently', () =>
    expectFew(ROWS_OF_A_PAGE, () => listAuditEvents(plans.ctxOf(QUIET), { first: PAGE })))

  it('by action, found among the others', () =>
    expectFew(ROWS_AMONG_OTHERS, () => listAuditEvents(big, { first: PAGE, filter: { action: 'user.signed_in' } })))
})

describe('what keys have changed is read by their ids', () => {
  const actorIds = ['u-1', 'u-5', 'u-7', 'nobody']
  const wanted = { organizationId: BIG, actorIds, except: ['api_key.refused'], from: '', before: '~', most: PAGE }

  it.each([
    ['the newest', {}],
    ['a page far behind', { before: firstIdAt(5000) }],
    ['from a time on', { from: firstIdAt(5000) }],
  ])('of each no more than a page: %s', (_name, range) =>
    expectFew((actorIds.length + 1) * ROWS_OF_A_PAGE, () =>
      newestEventsOf(big.reads, { ...wanted, ...range }).execute(big.reads),
    ),
  )

  it('the keys that they created are found by the action', () => {
    const made = { organizationId: BIG, action: 'api_key.rotated', after: firstIdAt(5000) } as const
    return expectFew(ROWS_OF_A_PAGE, () => keysMadeAfter(big.reads, made).execute())
  })
})

/** How far the revocations have come, in the same statement. */
const ONE_ROW = 'Seq Scan on revocationState'

describe('a lookup by name uses an index', () => {
  it('K10: a key, by the hash of its secret', async () => {
    for (const { steps } of await eachPlanOf(() => verifyKey(plans.database, mintSecret('emp_'), LOOPBACK))) {
      expect(steps.filter((step) => step.includes(' on '))).toEqual([
        ONE_ROW,
        'Index Scan on apiKey by apiKey_secretHash_key',
      ])
    }
  })

  it.each([undefined, 'organization-1'])(
    'a session, by the hash of its token, in the organization %s',
    async (slug) => {
      for (const { steps } of await eachPlanOf(() => lookUpSession(plans.database, mintSecret('ems_'), slug))) {
        const [state, ...tables] = steps.filter((step) => step.includes(' on '))
        expect(state).toBe(ONE_ROW)
        expect(tables[0]).toBe('Index Scan on session by session_tokenHash_key')
        for (const step of tables)
          expect(step).toMatch(/^Index (Only )?Scan on (session|user|organization|membership) by/)
      }
    },
  )

  it('a device and a key', async () => {
    await expectFew(1, () => findDevice(big, 'd-1'))
    await expectFew(1, () => findApiKey(big, 'k-00100'))
  })

  it('the keys of an organization', async () => {
    await expectFew(100, () => listApiKeys(big, {}))
    await expectFew(50, () => listApiKeys(big, { after: encodeCursor(['k-05000']) }))
  })
})

it('descendants: for each key on the page only its ancestors are read, also on the last page', async () => {
  const rows = 10 * (PAGE + 1)
  await expectFew(rows, () => descendantsOf(big, 'k-00100', { first: PAGE }))
  await expectFew(rows, () => descendantsOf(big, 'k-00100', { first: PAGE, after: encodeCursor(['k-08000']) }))
})

it('for keys that generated others, one generated key of each is read', () =>
  expectFew(4, () => creatorsAmong(big.reads, ['k-00100', 'k-00200']).execute()))

it('keys to delete for new ones are searched within the organization', () =>
  expectFew(100, () => oldestExpired(big.reads, BIG, FLEET_NOW).limit(10).execute()))

it('old audit events are found by their ids, which begin with their time', async () => {
  await expectFew(PAGE, () => oldEvents(FLEET_NOW).find(big.reads, '', PAGE))
  await expectFew(2 * 1001, () => eventsAfter(big.reads, '', { before: 1 }).execute())
  await expectFew(2 * 1001, () => eventsAfter(big.reads, '', { before: 1, organizationId: BIG }).execute())
})

it('old usage is found by its hour or day, not by its key', async () => {
  await expectFew(0, () => hoursBefore(big.reads, 1).execute())
  await expectFew(0, () => daysBefore(big.reads, 1).execute())
})
