import type { ApiKeyTable, Tables } from '../../server/db/tables.ts'
import { newId } from '../../server/lib/id.ts'
import { mintSecret } from '../../server/secrets/secret.ts'
import { type FleetRows, keyOf, organization, START } from './seed-rows.ts'

const MINUTE = 60_000
const KEYS = 100
const FEW_DEVICES = 1000
const BYSTANDERS = 4
/** Every device has all of them: the filter that matches the most. */
const TAGS = ['gateway', 'lte', 'hall', 'north']
const ACTIONS = ['device.created', 'device.updated', 'api_key.generated', 'user.signed_in']

export interface CrowdSize {
  devices: number
  people: number
  events: number
}

/**
 * A large organization, and an unrelated small one. The first secret belongs to the large one, whose keys have each
 * generated the next; the others belong to the small one.
 */
export function crowdRows({ devices, people, events }: CrowdSize): FleetRows {
  const [large, small] = [organization(0), organization(1)]
  const accounts = Array.from({ length: people }, (_, i) => ({ ...organization(2 + i), kind: 'PERSONAL' as const }))
  const users = accounts.map(userOf)
  const secrets = [mintSecret('emp_'), ...Array.from({ length: BYSTANDERS }, () => mintSecret('emp_'))]
  const [own, ...others] = secrets
  const keys = chainOf(large.id, own)
  const fleets = [fleetOf(large.id, devices), fleetOf(small.id, FEW_DEVICES)]
  const memberships = users.map(({ id }) => memberOf(large.id, id))
  return {
    secrets,
    tables: [
      { table: 'organization', rows: [large, small, ...accounts] },
      { table: 'user', rows: users },
      { table: 'membership', rows: memberships },
      { table: 'apiKey', rows: [...keys, ...others.map((secret, i) => keyOf(small.id, 1000 + i, secret))] },
      { table: 'apiKeyLineage', rows: lineageOf(keys.map(({ id }) => id)) },
      ...fleets.flatMap((ids) => [
        { table: 'device' as const, rows: devicesOf(ids) },
        { table: 'deviceTag' as const, rows: tagsOf(ids) },
        { table: 'deviceCount' as const, rows: [countOf(ids)] },
      ]),
      { table: 'auditEvent', rows: eventsOf(large.id, events) },
    ],
  }
}

const memberOf = (organizationId: string, userId: string): Tables['membership'] => ({
  organizationId,
  userId,
  role: 'MEMBER',
  createdAt: START,
  invitedByUserId: null,
  invitedByKeyId: null,
})

const userOf = ({ id: personalOrganizationId }: Tables['organization'], i: number): Tables['user'] => ({
  id: newId(START + i),
  email: `edda${i}@example.com`,
  name: `Edda ${i}`,
  passwordHash: 'none',
  support: 0,
  emailVerifiedAt: null,
  personalOrganizationId,
  createdAt: START + i,
})

function chainOf(organizationId: string, secret: string | undefined): ApiKeyTable[] {
  const keys: ApiKeyTable[] = []
  for (let i = 0; i < KEYS; i++) keys.push(keyOf(organizationId, i, i === 0 ? secret : undefined, keys.at(-1)?.id))
  return keys
}

function* lineageOf(ids: readonly string[]): Generator<Tables['apiKeyLineage']> {
  for (const [i, keyId] of ids.entries()) for (const ancestorId of ids.slice(0, i)) yield { ancestorId, keyId }
}

interface FleetIds {
  organizationId: string
  ids: string[]
}

const fleetOf = (organizationId: string, count: number): FleetIds => ({
  organizationId,
  ids: Array.from({ length: count }, (_, i) => newId(START + i)),
})

const nameOf = (i: number) => `edge-gateway-${String(i).padStart(7, '0')}`

function* devicesOf({ organizationId, ids }: FleetIds): Generator<Tables['device']> {
  const online = Date.now() + 60 * MINUTE
  for (const [i, id] of ids.entries()) {
    yield {
      id,
      organizationId,
      name: nameOf(i),
      nameKey: nameOf(i),
      description: null,
      enabled: i % 10 === 7 ? 0 : 1,
      lastSeenAt: i % 10 === 0 ? null : i % 10 < 4 ? START + i : online + i,
      firmwareVersion: '4.2.1',
      tags: JSON.stringify(TAGS),
      location: null,
      createdAt: START,
      updatedAt: START,
      checkIns: null,
      firstCheckInAt: null,
    }
  }
}

/** As the portal has it of every organization: by this it knows that counting them takes long. */
const countOf = ({ organizationId, ids }: FleetIds): Tables['deviceCount'] => ({ organizationId, devices: ids.length })

function* tagsOf({ organizationId, ids }: FleetIds): Generator<Tables['deviceTag']> {
  for (const [i, deviceId] of ids.entries())
    for (const tag of TAGS) yield { organizationId, tag, nameKey: nameOf(i), deviceId }
}

function* eventsOf(organizationId: string, count: number): Generator<Tables['auditEvent']> {
  for (let i = 0; i < count; i++) {
    const at = START + i
    yield {
      id: newId(at),
      organizationId,
      at,
      action: ACTIONS[i % ACTIONS.length] ?? '',
      actorKind: 'SYSTEM',
      actorId: null,
      actorName: 'bench',
      subject: `edge-${i % 1000}`,
      details: null,
      subjectType: null,
      subjectId: null,
      changes: null,
      ip: null,
    }
  }
}
