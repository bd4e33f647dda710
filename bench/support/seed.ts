import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { setImmediate as breathe } from 'node:timers/promises'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import type { ApiKeyTable, DeviceTable, OrganizationTable, Tables } from '../../server/db/tables.ts'
import { newId } from '../../server/lib/id.ts'
import { hashSecret, mintSecret } from '../../server/lib/secret.ts'
import { temporaryFolder } from './children.ts'
import type { Progress } from './progress.ts'

const START = Date.UTC(2026, 0, 1)
const DEVICES = 1000
const KEYS_OF_AN_ORGANIZATION = 100
const ROWS_AT_ONCE = 20_000

/** A database folder with an organization of 1,000 devices and 100 keys, and other organizations' keys around them. */
export interface Fleet {
  folder: string
  file: string
  /** One of the organization's keys. */
  secret: string
  /** All of the organization's keys, made at different times among the others. */
  secrets: string[]
}

/** Fills a new database in bulk, by plain SQL. */
export async function seedFleet(keys: number, progress: Progress): Promise<Fleet> {
  const folder = temporaryFolder()
  const database = await openDatabase({ dataDir: folder })
  await migrate(database)
  await database.close()

  const file = join(folder, 'portal.db')
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -200000; begin')
  const organizations = Array.from({ length: Math.ceil(keys / KEYS_OF_AN_ORGANIZATION) }, (_, i) => organization(i))
  await insert(db, 'organization', organizations)
  const [own] = organizations
  if (!own) throw new Error('A fleet has at least one key.')
  await insert(db, 'device', devicesOf(own.id))
  const secrets: string[] = []
  await insert(db, 'apiKey', keysOf(organizations, keys, secrets), (done) =>
    progress.say(`filling a database: ${done.toLocaleString('en')} of ${keys.toLocaleString('en')} keys`),
  )
  db.exec('commit; pragma journal_mode = wal')
  db.close()
  return { folder, file, secret: secrets[0] ?? '', secrets }
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

function* devicesOf(organizationId: string): Generator<DeviceTable> {
  for (let i = 0; i < DEVICES; i++) {
    const name = `edge-gateway-${String(i).padStart(4, '0')}`
    yield {
      id: newId(START + i),
      organizationId,
      name,
      nameKey: name,
      description: 'Between the machines of a hall and the rest of the world',
      enabled: 1,
      lastSeenAt: START,
      firmwareVersion: '4.2.1',
      tags: '["gateway","lte"]',
      location: '{"name":"Hamburg","address":"Am Sandtorkai 1","latitude":53.5436,"longitude":9.9885,"timeZone":null}',
      createdAt: START,
      updatedAt: START,
    }
  }
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

async function insert<Name extends keyof Tables>(
  db: DatabaseSync,
  table: Name,
  rows: Iterable<Tables[Name]>,
  tell: (done: number) => void = () => {},
): Promise<void> {
  let done = 0
  let statement: ReturnType<DatabaseSync['prepare']> | undefined
  for (const row of rows) {
    const columns = Object.keys(row)
    statement ??= db.prepare(
      `insert into "${table}" (${columns.map((name) => `"${name}"`)}) values (${columns.map(() => '?')})`,
    )
    statement.run(...(Object.values(row) as SQLInputValue[])) // columns are text, numbers, bytes and null alone
    if (++done % ROWS_AT_ONCE === 0) {
      tell(done)
      await breathe()
    }
  }
}
