import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { VIEWER } from '../../support/process/grown-portal.ts'
import { runPortal, startDemo, startPortal, temporaryFolder } from '../../support/process/portal-process.ts'
import { keyRow } from '../../support/world/inserted-keys.ts'
import { fieldOf } from '../../support/world/people.ts'

const GENERATE = 'mutation { generateApiKey(input: {}) { secret apiKey { id } } }'
const LAST_ORGANIZATION = 'select max("id") as "organizationId" from "organization"'

interface Generated {
  secret: string
  apiKey: { id: string }
}

const inDatabase = (file: string, work: (database: DatabaseSync) => void) => {
  const database = new DatabaseSync(file, { timeout: 5000 })
  work(database)
  database.close()
}

/** Makes it larger than what is checked at every start, with many keys. */
function fill(database: DatabaseSync): void {
  database.exec('create table "grown" ("content" blob); insert into "grown" values (zeroblob(40000000)); begin')
  const { organizationId } = database.prepare(LAST_ORGANIZATION).get() as { organizationId: string }
  for (let i = 1; i <= 500; i++) {
    const row = { ...keyRow({ organizationId, label: `k${i}`, createdAt: 0, expiresAt: null }), id: `k${i}` }
    const columns = Object.keys(row).map((column) => `"${column}"`)
    const values = columns.map(() => '?')
    database.prepare(`insert into "apiKey" (${columns}) values (${values})`).run(...Object.values(row))
  }
  database.exec('commit')
}

async function generate(folder: string, secret: string): Promise<Generated[]> {
  const portal = await startPortal(folder)
  const ask = portal.asKey(secret)
  const keys: Generated[] = []
  for (let i = 0; i < 6; i++) keys.push(fieldOf<Generated>(await ask(GENERATE)))
  await portal.stop()
  return keys
}

it('C11: a backup copied into the database of a killed portal, beside its log, brings no revoked key back', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'portal.db')
  const { secret, stop } = await startDemo(folder)
  await stop()
  const early = await generate(folder, secret)
  inDatabase(file, fill)
  const late = await generate(folder, secret) // on other pages
  copyFileSync(file, `${file}.backup`)

  const second = await startPortal(folder)
  const revoke = ({ apiKey: { id } }: Generated) =>
    second.asKey(secret)(`mutation { revokeApiKey(id: "${id}") { durable } }`)
  for (const key of early) fieldOf(await revoke(key))
  inDatabase(file, (database) => database.exec('pragma wal_checkpoint(passive)'))
  for (const key of late) fieldOf(await revoke(key))
  await second.stop('SIGKILL')
  copyFileSync(`${file}.backup`, file)

  const started = await startPortal(folder).catch((error: Error) => error)
  if (started instanceof Error) {
    const { stderr } = await runPortal(['org', 'list'], { env: { DATA_DIR: folder } })
    expect(stderr).toMatch(/ is damaged .+ without the portal\.db-wal and portal\.db-shm that are beside it now/)
    for (const beside of ['-wal', '-shm']) rmSync(file + beside, { force: true })
    copyFileSync(`${file}.backup`, file)
  }
  const third = started instanceof Error ? await startPortal(folder) : started
  const keys = [...early, ...late]
  const statuses = await Promise.all(keys.map(async ({ secret }) => (await third.asKey(secret)(VIEWER)).status))
  expect(statuses).toEqual(keys.map(() => 401))
  expect((await third.asKey(secret)(VIEWER)).status).toBe(200)
})
