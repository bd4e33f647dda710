// What every alternative uses: the portal's own database file, read by plain SQL with prepared statements.
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export const SCHEMA = `
  type Query { devices(first: Int = 100): DeviceList! }
  type DeviceList { data: [Device!]! }
  type Device { id: ID! name: String! }
`

/** Runs the portal's two queries: the key, by the unique index on its SHA-256, and a page by name. */
export function openFleet(file) {
  const database = new DatabaseSync(file, { readOnly: true })
  const owner = database.prepare('select "organizationId", "expiresAt" from "apiKey" where "secretHash" = ?')
  const page = database.prepare(
    'select "id", "name" from "device" where "organizationId" = ? order by "nameKey", "id" limit ?',
  )
  return {
    organizationOf(secret) {
      const key = owner.get(hash('sha256', secret, 'buffer'))
      return key && (key.expiresAt === null || key.expiresAt > Date.now()) ? key.organizationId : undefined
    },
    devicesOf: (organizationId, first) => ({ data: page.all(organizationId, first) }),
  }
}

/** Passed as JSON in the first argument: port, file, folder, and the secrets of all keys that call. */
export const options = JSON.parse(process.argv[2] ?? '{}')
