import { expect, it, onTestFinished } from 'vitest'
import type { Deps } from '../../server/caller/deps.ts'
import { readConfig } from '../../server/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { createLog } from '../../server/lib/log.ts'
import { prepareFirstStart } from '../../server/process/first-start.ts'
import { meetingOf } from '../support/world/meeting.ts'
import { CHEAPEST, PASSWORD, startWorld, type World } from '../support/world/world.ts'

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: PASSWORD, ORGANIZATION: 'Acme Edge' }

/** What as many processes have at hand that start at once on the database of a world. */
async function starting(many: number, { storage }: World, env: Record<string, string>): Promise<Deps[]> {
  const config = readConfig({ ...storage.env, ...env })
  const databases = await Promise.all(Array.from({ length: many }, () => openDatabase(config)))
  onTestFinished(async () => void (await Promise.all(databases.map((database) => database.close()))))
  const meet = meetingOf(many) // hashing a password would let one after the other begin to write
  return databases.map((database) => ({
    config,
    database: { ...database, transaction: (...work) => meet().then(() => database.transaction(...work)) },
    now: database.now,
    log: createLog('silent'),
    webDir: undefined,
  }))
}

for (const [kind, env, demo, people] of [
  ['created admin', ADMIN, false, 1] as const,
  ['created demo', {}, true, 4] as const,
]) {
  it(`of many processes that start at once on an empty database one finds it empty: ${kind}`, async () => {
    const world = await startWorld()
    onTestFinished(world.close)
    const all = await starting(8, world, env)
    const outcomes = await Promise.all(
      all.map((deps) => prepareFirstStart({ ...deps, passwordCost: CHEAPEST }, { demo })),
    )

    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([kind, ...Array(7).fill('in use')].sort())
    const { read } = world.database
    const organizations = read.selectFrom('organization').select('slug').where('kind', '=', 'ORGANIZATION')
    expect(await organizations.execute()).toHaveLength(1)
    expect(await read.selectFrom('user').select('id').execute()).toHaveLength(people)
  })
}

it('C14: the address of ADMIN_EMAIL counts as verified: a key can be generated before any email is read', async () => {
  const world = await startWorld({ env: { SMTP_URL: 'smtp://127.0.0.1:1', BASE_URL: 'http://portal.example.com' } })
  onTestFinished(world.close)
  const [deps] = await starting(1, world, ADMIN)
  if (deps) await prepareFirstStart({ ...deps, passwordCost: CHEAPEST }, { demo: false })

  const signedIn = await world.post('/auth/sign-in', { email: ADMIN.ADMIN_EMAIL, password: PASSWORD })
  const admin = await world.personOf('ada', ADMIN.ADMIN_EMAIL, signedIn)
  const { errors } = await admin.call('mutation { generateApiKey { secret } }', {}, 'acme-edge')
  expect(errors).toEqual([])
})

it('stores a password as production does: Argon2id with 19 MiB, t=2, p=1', async () => {
  const world = await startWorld()
  onTestFinished(world.close)
  const [deps] = await starting(1, world, ADMIN)
  if (deps) await prepareFirstStart(deps, { demo: false })

  const [admin] = await world.database.read.selectFrom('user').select('passwordHash').execute()
  expect(admin?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  const { status } = await world.post('/auth/sign-in', { email: ADMIN.ADMIN_EMAIL, password: PASSWORD })
  expect(status).toBe(200)
})
