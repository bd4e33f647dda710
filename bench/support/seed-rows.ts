import { randomBytes } from 'node:crypto'
import { apiKeyRow } from '../../server/db/api-key-row.ts'
import type { ApiKeyTable, DeviceTable, DeviceTagTable, OrganizationTable, Tables } from '../../server/db/tables.ts'
import { newId } from '../../server/lib/id.ts'
import { hashSecret, mintSecret } from '../../server/secrets/secret.ts'

export const START = Date.UTC(2026, 0, 1)
const HOUR = 60 * 60 * 1000
const GATEWAY = ['gateway']
const GATEWAY_BY_RADIO = ['gateway', 'lte']

export interface FleetSize {
  /** The number of keys of all organizations together. */
  keys: number
  /** The number of devices of the first organization. */
  devices?: number
  /** How many keys an organization has; the secrets of those of the first are recorded. */
  keysOfAnOrganization?: number
}

/** The rows of a table, in the order in which they are inserted. */
export type TableRows = { [Name in keyof Tables]: { table: Name; rows: Iterable<Tables[Name]> } }[keyof Tables]

/** The contents of a database; the secrets are known once the rows are generated. */
export interface FleetRows {
  tables: TableRows[]
  secrets: string[]
}

/**
 * An organization with devices and 100 keys, and keys of other organizations between them; fills `secrets` on the way.
 */
export function fleetRows({ keys, devices = 1000, keysOfAnOrganization = 100 }: FleetSize): FleetRows {
  const organizations = Array.from({ length: Math.ceil(keys / keysOfAnOrganization) }, (_, i) => organization(i))
  const [own] = organizations
  if (!own) throw new Error('A fleet has at least one key.')
  const ids = Array.from({ length: devices }, (_, i) => newId(START + i))
  const secrets: string[] = []
  const tables: TableRows[] = [
    { table: 'organization', rows: organizations },
    { table: 'device', rows: devicesOf(own.id, ids) },
    { table: 'deviceTag', rows: tagRowsOf(own.id, ids) },
    { table: 'apiKey', rows: keysOf(organizations, keys, secrets) },
  ]
  return { tables, secrets }
}

export const organization = (i: number): OrganizationTable => ({
  id: newId(START + i),
  kind: 'ORGANIZATION',
  name: `Organization ${i}`,
  nameKey: `organization ${i}`,
  slug: `organization-${i}`,
  apiKeysEnabled: 1,
  apiKeyPolicy: null,
  createdById: null,
  createdAt: START + i,
})

/**
 * Among ten devices one has the tag radio, one is disabled, one was never seen, three are offline, the others online.
 */
function* devicesOf(organizationId: string, ids: string[]): Generator<DeviceTable> {
  const onlineUntil = Date.now() + HOUR
  for (const [i, id] of ids.entries()) {
    yield {
      id,
      organizationId,
      name: nameOf(i),
      nameKey: nameOf(i),
      description: 'Between the machines of a hall and the rest of the world',
      enabled: i % 10 === 7 ? 0 : 1,
      lastSeenAt: i % 10 === 0 ? null : i % 10 < 4 ? START + i : onlineUntil + i,
      firmwareVersion: '4.2.1',
      tags: JSON.stringify(tagsOf(i)),
      location: '{"name":"Hamburg","address":"Am Sandtorkai 1","latitude":53.5436,"longitude":9.9885,"timeZone":null}',
      createdAt: START,
      updatedAt: START,
      checkIns: null,
      firstCheckInAt: null,
    }
  }
}

function* tagRowsOf(organizationId: string, ids: string[]): Generator<DeviceTagTable> {
  for (const [i, deviceId] of ids.entries()) {
    for (const tag of tagsOf(i)) yield { organizationId, tag, nameKey: nameOf(i), deviceId }
  }
}

const nameOf = (i: number) => `edge-gateway-${String(i).padStart(6, '0')}`

const tagsOf = (i: number) => (i % 10 === 5 ? GATEWAY_BY_RADIO : GATEWAY)

/** Keys of all organizations in turn, so that those of one are far apart; the secrets of the first are recorded. */
function* keysOf(organizations: OrganizationTable[], count: number, secrets: string[]): Generator<ApiKeyTable> {
  for (let i = 0; i < count; i++) {
    const owner = organizations[i % organizations.length]
    if (!owner) return
    const secret = owner === organizations[0] ? mintSecret('emp_') : undefined
    if (secret) secrets.push(secret)
    yield keyOf(owner.id, i, secret)
  }
}

/** A key that was used; without a secret, nobody has it. */
export const keyOf = (organizationId: string, i: number, secret?: string, createdById?: string): ApiKeyTable =>
  apiKeyRow({
    id: newId(START + i),
    organizationId,
    label: `script ${i}`,
    prefix: secret?.slice(0, 10) ?? 'emp_000000',
    secretHash: secret ? hashSecret(secret) : randomBytes(32),
    createdAt: START + i,
    createdByKind: createdById === undefined ? 'SYSTEM' : 'API_KEY',
    createdById: createdById ?? null,
    createdByName: 'bench',
    lastUsedAt: START + i,
    lastUsedIp: '127.0.0.1',
    lastUsedUserAgent: 'bench',
    lastUsedOperation: 'devices',
  })
