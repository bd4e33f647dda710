import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { call } from '../../test/support/world/http.ts'
import { codesOf, fieldOf } from '../../test/support/world/people.ts'
import { generateApiKey } from '../api-keys/generate.ts'
import { createApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../lib/log.ts'
import { insertOrganization } from '../organizations/organization.ts'
import { migrate } from './migrate.ts'
import { openSqlite } from './sqlite/database.ts'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { name } }'

/** A server on SQLite whose writes wait so long for the lock, and a call with an accepted key. */
async function startImpatient(writePatienceMs: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-'))
  const database = openSqlite(dataDir, { writePatienceMs })
  await migrate(database)
  const config = readConfig({ DATA_DIR: dataDir, RATE_LIMIT: 'off' })
  const app = await createApp({ config, database, log: createLog('silent'), now: database.now, webDir: undefined })
  onTestFinished(async () => {
    await app.close()
    await database.close()
    rmSync(dataDir, { recursive: true })
  })
  const { id } = await database.transaction((db) =>
    insertOrganization(db, database.now(), { kind: 'ORGANIZATION', name: 'Acme', apiKeysEnabled: true }),
  )
  const caller = { kind: 'SYSTEM', organizationId: id, role: 'ADMIN' } as const
  const { secret } = await generateApiKey(
    { caller, reads: database.read, database, now: database.now },
    { label: 'ci' },
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const ask = (query: string, variables?: object) => call(`${url}/graphql`, { 'api-secret': secret }, query, variables)
  return { dataDir, ask }
}

it('a mutation that waits too long for the write lock gets a retryable error, and reads continue', async () => {
  const { dataDir, ask } = await startImpatient(500)
  const other = new DatabaseSync(join(dataDir, 'portal.db'))
  other.exec('begin immediate')

  const refused = await ask(CREATE, { name: 'impatient' })
  expect({ status: refused.status, codes: codesOf(refused) }).toEqual({ status: 503, codes: ['UNAVAILABLE'] })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask('{ viewer { role } }')).status).toBe(200)

  other.close()
  expect(fieldOf(await ask(CREATE, { name: 'impatient' }))).toEqual({ name: 'impatient' })
})
