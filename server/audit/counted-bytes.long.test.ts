import { sql } from 'kysely'
import { expect } from 'vitest'
import { createRandom, oneOf } from '../../test/fault/random.ts'
import { seed } from '../../test/support/seed.ts'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { byKey, newHeader } from '../../test/support/world/keyed-calls.ts'
import { bytesOf } from '../../test/support/world/stored-bytes.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { dayOf } from '../db/stored-bytes.ts'
import { DAY, HOUR } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { runBackgroundJobs } from '../process/background-jobs.ts'

const STEPS = 60
const CREATE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
const MANY = `mutation ($inputs: [CreateDeviceInput!]!, $atomic: Boolean) {
  createDevices(inputs: $inputs, atomic: $atomic) { results { device { id } error { code } } } }`

const it = inOwnWorld(startWorld)

/** The rows of the audit log of today, counted as the portal counts them. */
const auditBytes = async ({ database, clock }: World, organizationId: string) =>
  (
    await database.read
      .selectFrom('auditEvent')
      .select(
        sql<number | null>`cast(sum(400 + octet_length("actorName") + octet_length(coalesce("subject", '')) +
          octet_length(coalesce("details", '')) + octet_length(coalesce("changes", ''))) as bigint)`.as('bytes'),
      )
      .where('organizationId', '=', organizationId)
      .where('at', '>=', dayOf(clock.now()))
      .executeTakeFirstOrThrow()
  ).bytes ?? 0

const answerBytes = async ({ database }: World) =>
  (
    await database.read
      .selectFrom('idempotencyRecord')
      .select(sql<number | null>`cast(sum(400 + octet_length("answer")) as bigint)`.as('bytes'))
      .executeTakeFirstOrThrow()
  ).bytes ?? 0

it(`C20: the counted bytes are those that are stored, whatever happens, seed ${seed}`, async ({ world, acme, ada }) => {
  const random = createRandom(seed)
  const beside = await startWorld({ beside: world, now: world.clock.now })
  const jobs = () =>
    runBackgroundJobs({
      database: oneOf(random, [world, beside]).database,
      config: world.config,
      log: createLog('silent'),
      now: world.clock.now,
      webDir: undefined,
    })
  let key = await world.generateKey(ada, acme)
  let name = 0
  const keyed = (replica: { url: string }, variables: object, extensions?: object) =>
    byKey(replica as World, key.secret)({ query: CREATE, variables, ...(extensions && { extensions }) }, newHeader())
  const device = () => ({ name: `edge-${name++ % 40}`, description: oneOf(random, ['', 'ü'.repeat(300), 'x']) })
  const steps: Record<string, () => Promise<unknown>> = {
    create: () => acme.call(CREATE, { input: device() }),
    'many, all or nothing': () => acme.call(MANY, { inputs: [device(), device()], atomic: true }),
    'many, each on its own': () => acme.call(MANY, { inputs: [device(), device(), device()], atomic: false }),
    'at both at once': () => Promise.all([world, beside].map((replica) => keyed(replica, { input: device() }))),
    'a dry run': () => keyed(world, { input: device() }, { dryRun: true }),
    'refused, and so not recorded': () => keyed(beside, { input: { name: ' ' } }),
    'another key': async () => {
      const { id } = key
      key = await world.generateKey(ada, acme)
      await acme.call(`mutation { revokeApiKey(id: "${id}") { ids } }`)
    },
    'time passes': async () => world.clock.advance(oneOf(random, [HOUR / 2, HOUR])),
    jobs,
  }
  try {
    for (let i = 0; i < STEPS; i++) {
      const step = oneOf(random, Object.keys(steps))
      await steps[step]?.()
      expect(await bytesOf(world, acme.id, 'audit_bytes_a_day'), step).toBe(await auditBytes(world, acme.id))
      expect(await bytesOf(world, acme.id, 'answer_bytes'), step).toBeGreaterThanOrEqual(await answerBytes(world))
      if (i % 8 === 7) await world.post('/auth/sign-in', ada).then(({ cookie }) => Object.assign(ada, { cookie }))
    }
    const before = await bytesOf(world, acme.id, 'answer_bytes')
    await keyed(world, { input: { name: 'last' } })
    const last = (await bytesOf(world, acme.id, 'answer_bytes')) - before
    world.clock.advance(DAY)
    await jobs()
    expect(await bytesOf(world, acme.id, 'answer_bytes')).toBeGreaterThanOrEqual(last) // with others of its hour
    world.clock.advance(HOUR)
    await Promise.all([jobs(), jobs()])
    expect(await bytesOf(world, acme.id, 'answer_bytes')).toBe(0)
    expect(await answerBytes(world)).toBe(0)
  } finally {
    await beside.close()
  }
})
