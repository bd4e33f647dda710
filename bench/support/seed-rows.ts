import { randomBytes } from 'node:crypto'
import type { ApiKeyTable, DeviceTable, DeviceTagTable, OrganizationTable, Tables } from '../../server/db/tables.ts'
import { newId } from '../../server/lib/id.ts'
import { hashSecret, mintSecret } from '../../server/lib/secret.ts'

const START = Date.UTC(2026, 0, 1)
const KEYS_OF_AN_ORGANIZATION = 100
const EVERY_SO_MANY_BY_RADIO = 10

export interface FleetSize {
  /** Of all organizations together. */
  keys: number
  /** Of the organization that is asked for. */
  devices?: number
}

/** The rows of a table, in the order in which they are inserted. */
export type TableRows = { [Name in keyof Tables]: { table: Name; rows: Iterable<Tables[Name]> } }[keyof Tables]

/** An organization with devices and 100 keys, and other organizations' keys around them; `secrets` fills on the way. */
export function fleetRows({ keys, devices = 1000 }: FleetSize): { tables: TableRows[]; secrets: string[] } {
  const organizations = Array.from({ length: Math.ceil(keys / KEYS_OF_AN_ORGANIZATION) }, (_, i) => organization(i))
  const [own] = organizations
  if (!own) throw new Error('A fleet has at least one key.')
  const fleet = Array.from({ length: devices }, (_, i) => device(own.id, i))
  const secrets: string[] = []
  const tables: TableRows[] = [
    { table: 'organization', rows: organizations },
    { table: 'device', rows: fleet },
    { table: 'deviceTag', rows: fleet.flatMap(tagsOf) },
    { table: 'apiKey', rows: keysOf(organizations, keys, secrets) },
  ]
  return { tables, secrets }
}

const organization = (i: number): OrganizationTable => ({
  id: newId(START + i),
  kind: 'ORGANIZATION',
  name: `Organization ${i}`,
  nameKey: `organization ${i}`,
  slug: `organization-${i}`,
  apiKeysEnabled: 1,
  createdAt: START + i,
})

function device(organizationId: string, i: number): DeviceTable {
  const name = `edge-gateway-${String(i).padStart(6, '0')}`
  return {
    id: newId(START + i),
    organizationId,
    name,
    nameKey: name,
    description: 'Between the machines of a hall and the rest of the world',
    enabled: 1,
    lastSeenAt: START,
    firmwareVersion: '4.2.1',
    tags: JSON.stringify(i % EVERY_SO_MANY_BY_RADIO === 0 ? ['gateway', 'lte'] : ['gateway']),
    location: '{"name":"Hamburg","address":"Am Sandtorkai 1","latitude":53.5436,"longitude":9.9885,"timeZone":null}',
    createdAt: START,
    updatedAt: START,
  }
}

function tagsOf({ id, organizationId, nameKey, tags }: DeviceTable): DeviceTagTable[] {
  const names: string[] = JSON.parse(tags)
  return names.map((tag) => ({ organizationId, tag, nameKey, deviceId: id }))
}

/** Keys of all organizations in turn, so that those of any one lie far apart; the secrets of the first are kept. */
function* keysOf(organizations: OrganizationTable[], count: number, secrets: string[]): Generator<ApiKeyTable> {
  for (let i = 0; i < count; i++) {
    const owner = organizations[i % organizations.length]
    if (!owner) return
    const secret = owner === organizations[0] ? mintSecret('emp_') : undefined
    if (secret) secrets.push(secret)
    yield {
      id: newId(START + i),
      organizationId: owner.id,
      label: `script ${i}`,
      start: secret?.slice(0, 10) ?? 'emp_000000',
      secretHash: secret ? hashSecret(secret) : randomBytes(32),
      createdAt: START + i,
      createdByKind: 'SYSTEM',
      createdById: null,
      createdByName: 'bench',
      lastUsedAt: START + i,
      lastUsedFrom: '127.0.0.1',
      expiresAt: null,
    }
  }
}
