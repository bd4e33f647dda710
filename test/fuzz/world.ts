import { actionName } from '../../server/audit/actions.ts'
import { LIMITS } from '../../server/config/limits.ts'
import { ALL_PERIODS, dayOf } from '../../server/db/stored-bytes.ts'
import { mintSecret } from '../../server/secrets/secret.ts'
import type { Sender } from '../support/world/leak-sender.ts'
import type { BystanderCaller } from './bystander.ts'
import { type Caller, type Credentials, callersOf, LETTERS, newCredentials } from './callers.ts'
import * as rows from './organization-rows.ts'
import { idOf, type Letter, type OrganizationSize } from './organization-rows.ts'
import type { Receivers } from './receivers.ts'
import type { Row, Store } from './store.ts'
import type { Known } from './values.ts'
import { fillWebhooks } from './webhook-rows.ts'
import type { UsedUp } from './worst.ts'

const DAY = 24 * 60 * 60 * 1000
const NARROW = JSON.stringify({ noKeys: true })
const PEOPLE = { admin: 0, member: 1, support: 2 }

const LARGE: OrganizationSize = { devices: 40_000, invitations: 6000, keys: 110, rotations: 400, events: 20_000 }
const MIDDLE: OrganizationSize = { devices: 2000, invitations: 100, keys: 20, rotations: 5, events: 1000 }
const SMALL: OrganizationSize = { devices: 50, invitations: 10, keys: 10, rotations: 3, events: 50 }
const SIZES: Record<Letter, OrganizationSize> = {
  a: LARGE,
  b: MIDDLE,
  c: SMALL,
  d: SMALL,
  e: SMALL,
  f: SMALL,
  g: MIDDLE,
  h: { ...SMALL, devices: rows.DEVICES_WITH_MOST_TAGS },
}

export interface World {
  callers: Caller[]
  known: Known
  /** A caller of the organization that takes no part. */
  bystander: Required<BystanderCaller>
  /** Everything that may let somebody in: no answer holds one of them. */
  secrets: string[]
  /** Who may report leaked secrets. */
  sender: Sender
  /** Puts back what callers of the small organizations have taken from themselves: keys, sessions, roles. */
  restore(): Promise<void>
  /** An organization may store nothing more of a kind, until what this returns is called. */
  exhaust(budget: UsedUp): Promise<() => Promise<void>>
  /** Forgets what waits to be sent to webhooks. */
  dropDeliveries(): Promise<void>
}

interface Given {
  now: number
  sender: Sender
  receivers: Receivers
}

/** Organizations whose every text tells whose it is, one of them large enough to be dear. */
export async function fillWorld(store: Store, { now, sender, receivers }: Given): Promise<World> {
  const entries = LETTERS.map((letter) => [letter, newCredentials()] as const)
  const credentials = Object.fromEntries(entries) as Record<Letter, Credentials> // one for each letter
  const more = [mintSecret('emp_'), mintSecret('emp_')]
  for (const letter of LETTERS) await fillOrganization(store, letter, credentials[letter], now)
  await fillWebhooks(store, { fanOut: 'g', hostile: 'h' }, receivers)
  await store.insert(
    'apiKey',
    more.map((secret, i) => rows.keyRow('e', 500 + i, secret)),
  )
  if (store.name === 'postgres') await store.run('analyze')
  const ofDeliveries = Object.keys(await store.sizes()).filter((table) => /^webhook(Event|Delivery)$/.test(table))
  return {
    callers: callersOf(credentials),
    known: knownOf(),
    bystander: { secrets: [credentials.e.key, ...more], deviceId: idOf('e', 'device', 0) },
    sender,
    secrets: [...Object.values(credentials).flatMap((each) => Object.values(each)), ...more],
    async exhaust({ organizationId, kind }) {
      const period = kind === 'audit_bytes_a_day' ? dayOf(Date.now()) : ALL_PERIODS
      const bytes = LIMITS[kind]
      const forget = `delete from "storedBytes" where "organizationId" = '${organizationId}' and "kind" = '${kind}'`
      await store.run(forget)
      await store.insert('storedBytes', [{ organizationId, kind, period, bytes, atMost: bytes }])
      return () => store.run(forget)
    },
    async dropDeliveries() {
      for (const table of ofDeliveries) await store.run(`delete from "${table}"`)
    },
    restore: async () => {
      for (const letter of ['c', 'd', 'f', 'g', 'h'] as const) await restore(store, letter, credentials[letter], now)
    },
  }
}

async function fillOrganization(store: Store, letter: Letter, own: Credentials, now: number): Promise<void> {
  const { devices, invitations, keys, rotations, events } = SIZES[letter]
  const accounts = [0, 1, 2, 3].map((i) => rows.organizationRow(letter, i, i === 0 ? 'ORGANIZATION' : 'PERSONAL'))
  await store.insert('organization', accounts)
  await store.insert(
    'user',
    Object.values(PEOPLE).map((i) => rows.userRow(letter, i, i === PEOPLE.support ? 1 : 0)),
  )
  await store.insert('membership', membershipRows(letter))
  await store.insert('session', sessionRows(letter, own, now))
  await store.insert('apiKey', keyRows(letter, own, now))
  await store.insert('apiKey', rows.rotatedKeyRows(letter, rotations, now))
  await store.insert('apiKeyLineage', rows.lineageRows(range(keys).map((i) => idOf(letter, 'apiKey', i))))
  await store.insert('apiKeyLineage', rows.lineageRows(range(rotations).map((i) => idOf(letter, 'rotated', i))))
  await store.insert('apiKeyUsage', rows.usageRows(letter, Math.min(keys, 30), now))
  await store.insert('device', rows.deviceRows(letter, devices, now))
  await store.insert('deviceTag', rows.tagRows(letter, devices))
  await store.insert('deviceCount', [{ organizationId: idOf(letter, 'organization', 0), devices }])
  await store.insert('invitation', rows.invitationRows(letter, invitations, now))
  await store.insert('auditEvent', rows.eventRows(letter, events))
}

const membershipRows = (letter: Letter) => [
  rows.membershipRow(letter, 0, PEOPLE.admin, 'ADMIN'),
  rows.membershipRow(letter, 0, PEOPLE.member, 'MEMBER'),
  ...Object.values(PEOPLE).map((i) => rows.membershipRow(letter, 1 + i, i, 'ADMIN')),
]

const sessionRows = (letter: Letter, { admin, member, support }: Credentials, now: number) => [
  rows.sessionRow(letter, PEOPLE.admin, admin, now),
  rows.sessionRow(letter, PEOPLE.member, member, now),
  rows.sessionRow(letter, PEOPLE.support, support, now),
]

/** The first is the one that all others descend from. */
function keyRows(letter: Letter, { key, narrowKey, expiredKey }: Credentials, now: number): Row[] {
  const { keys } = SIZES[letter]
  return [
    ...range(keys).map((i) => rows.keyRow(letter, i, i === 0 ? key : undefined)),
    rows.keyRow(letter, 600, narrowKey, { rules: NARROW }),
    rows.keyRow(letter, 601, expiredKey, { expiresAt: now - DAY }),
  ]
}

async function restore(store: Store, letter: Letter, own: Credentials, now: number): Promise<void> {
  const ids = (some: Row[]) => some.map(({ id }) => `'${id}'`).join(', ')
  const [keys, sessions] = [keyRows(letter, own, now), sessionRows(letter, own, now)]
  const people = Object.values(PEOPLE).map((i) => `'${idOf(letter, 'user', i)}'`)
  await store.run(`delete from "apiKey" where "id" in (${ids(keys)})`)
  await store.run(`delete from "deletedApiKey" where "id" in (${ids(keys)})`)
  await store.run(`delete from "session" where "id" in (${ids(sessions)})`)
  await store.run(`delete from "membership" where "userId" in (${people})`)
  await store.run(
    `update "organization" set "apiKeysEnabled" = 1, "apiKeyPolicy" = null where "id" = '${idOf(letter, 'organization', 0)}'`,
  )
  await store.insert('apiKey', keys)
  await store.insert('session', sessions)
  await store.insert('membership', membershipRows(letter))
}

/** Some of everything, of every organization; the last ones never existed. */
export function knownOf(): Known {
  const kinds = ['organization', 'user', 'session', 'apiKey', 'rotated', 'device', 'invitation', 'auditEvent'] as const
  const places = LETTERS.flatMap((letter) => kinds.flatMap((kind) => [0, 1, 2].map((i) => idOf(letter, kind, i))))
  const gone = range(5).map((i) => places[i]?.replace(/a{10}/, '0000000000') ?? '')
  const cursor = (...values: (string | number)[]) => Buffer.from(JSON.stringify(values)).toString('base64url')
  const cursors = LETTERS.flatMap((letter) => [
    cursor(`edge-${rows.canaryOf(letter)}-000010`, idOf(letter, 'device', 10)),
    cursor(idOf(letter, 'auditEvent', 5)),
    cursor(Date.UTC(2026, 0, 1) + 5, idOf(letter, 'invitation', 5)),
    cursor(idOf(letter, 'apiKey', 5)),
  ])
  return {
    ids: [...places, ...gone],
    tags: rows.TAGS,
    cursors,
    actions: rows.ACTIONS.map(actionName),
    dearIds: { apiKey: idOf('a', 'apiKey', 0), apiKeyChanges: idOf('a', 'apiKey', 0), device: idOf('a', 'device', 0) },
  }
}

const range = (length: number) => Array.from({ length }, (_, i) => i)
