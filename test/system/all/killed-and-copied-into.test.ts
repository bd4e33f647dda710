import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { VIEWER } from '../../support/process/grown-portal.ts'
import { runPortal, startDemo, startPortal, temporaryFolder } from '../../support/process/portal-process.ts'
import { fieldOf } from '../../support/world/people.ts'

const GENERATE = 'mutation { generateApiKey(input: {}) { secret apiKey { id } } }'
/** Larger than what is checked at every start, with many keys. */
const FILL = `
create table "grown" ("content" blob); insert into "grown" values (zeroblob(40000000));
with recursive "n" ("i") as (select 1 union all select "i" + 1 from "n" where "i" < 500)
insert into "apiKey" ("id", "organizationId", "label", "prefix", "secretHash", "createdAt", "createdByKind", "createdByName", "labelled")
select 'k' || "i", (select max("id") from "organization"), 'k' || "i", 'emp_000000', randomblob(32), 0, 'SYSTEM', 'test', 0 from "n";
`

interface Generated {
  secret: string
  apiKey: { id: string }
}

const inDatabase = (file: string, statements: string) => {
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec(statements)
  database.close()
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
  inDatabase(file, FILL)
  const late = await generate(folder, secret) // on other pages
  copyFileSync(file, `${file}.backup`)

  const second = await startPortal(folder)
  const revoke = ({ apiKey: { id } }: Generated) =>
    second.asKey(secret)(`mutation { revokeApiKey(id: "${id}") { durable } }`)
  for (const key of early) fieldOf(await revoke(key))
  inDatabase(file, 'pragma wal_checkpoint(passive)')
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
