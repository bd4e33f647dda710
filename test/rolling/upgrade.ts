import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import postgres from 'postgres'
import { PORTAL_SECRET } from '../fault/cluster.ts'
import { createLedgerFolder } from '../fault/ledgers.ts'
import { temporaryFolder } from '../fault/processes.ts'
import { createReplica, PORTAL, type Replica } from '../fault/replica.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { failedCalls, startLoad, sustainedRate } from './load.ts'
import { previousVersionProblem, unpackPreviousVersion } from './previous-version.ts'
import { revokeAcross } from './revokes.ts'

const USAGE = `npm run test:upgrade [-- [--rate CALLS] [--keys N] [--revokes N]]
  --rate     calls a second, at most 1000; by default what this machine sustains
  --keys     how many keys the database has, 100,000 by default
  --revokes  how many keys are generated and revoked by the two versions in turn, 40 by default`

const MOST_CALLS = 1000
const SETTLE_MS = 3_000

const say = (words: string) => process.stdout.write(`${words}\n`)
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) process.on(signal, () => process.exit(code))
const problem = previousVersionProblem()
if (problem) {
  say(`Skipped. ${problem}`)
  process.exit(0)
}
process.exit((await main()) ? 0 : 1)

/** Two replicas of the previous version under load, beside which this version starts and upgrades their database. */
async function main(): Promise<boolean> {
  const options = {
    rate: { type: 'string' },
    keys: { type: 'string' },
    revokes: { type: 'string' },
    help: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ options })
  if (values.help) {
    say(USAGE)
    return true
  }
  const folder = temporaryFolder()
  const ledgers = createLedgerFolder('own')
  const server = await startPostgres({ durable: true })
  const previous = unpackPreviousVersion(folder.path)
  const env = (place: number) => ({
    DATABASE_URL: server.url(),
    PORTAL_SECRET,
    LEDGER: ledgers.path(place),
    DRAIN_SECONDS: '1',
  })
  const secret = await firstKey(previous, env(0))
  await insertKeys(server.url(), Number(values.keys ?? 100_000))

  const old = [0, 1].map((place) => createReplica(`previous version ${place + 1}`, [previous, 'serve'], env(place)))
  const next = createReplica('this version', PORTAL, env(2))
  await Promise.all(old.map((replica) => replica.start()))
  let replicas: readonly Replica[] = old
  const load = { port: (client: number) => replicas[client % replicas.length]?.port() ?? 0, secrets: [secret] }
  const rate = Math.min(
    MOST_CALLS,
    values.rate === undefined ? await sustainedRate(load, MOST_CALLS) : Number(values.rate),
  )
  say(`Two replicas of the previous version, ${rate} calls a second.`)

  const calls = startLoad({ ...load, perSecond: rate })
  await pause(SETTLE_MS)
  await next.start()
  say('This version has upgraded the database and started; both versions serve.')
  replicas = [...old, next]
  const wrong: string[] = []
  const ports = replicas.map((replica) => replica.port() ?? 0)
  for (let i = 0; i < Number(values.revokes ?? 40); i++) {
    const [generatesAt = 0, revokesAt = 0] = [ports.at(i % 3), ports.at((i + 1 + (i % 2)) % 3)]
    wrong.push(...(await revokeAcross(secret, { generatesAt, revokesAt, all: ports })))
  }
  const refused = await promisify(execFile)(process.execPath, [previous, 'org', 'list'], {
    env: commandEnv(env(0)),
  }).catch((error: { stderr: string }) => error.stderr)
  if (typeof refused !== 'string' || !refused.includes('newer than this program'))
    wrong.push(`the previous version started anew: ${JSON.stringify(refused)}`)
  replicas = [next]
  await pause(SETTLE_MS)
  await Promise.all(old.map((replica) => replica.stop()))
  await pause(SETTLE_MS)
  const result = await calls.stop()

  await next.kill()
  await server.close()
  for (const { remove } of [folder, ledgers]) remove()
  const troubles = [...old, next].flatMap((replica) => replica.troubles())
  say(
    `${result.calls} calls, ${result.perSecond} a second, the slowest in ${Math.round(result.slowestMs)} ms: ${failedCalls(result)} failed.`,
  )
  for (const [why, times] of Object.entries(result.failed)) say(`  ${times} times: ${why}`)
  for (const words of [...wrong, ...troubles]) say(words)
  say(
    `${values.revokes ?? 40} keys generated and revoked by the versions in turn: ${wrong.length === 0 ? 'refused by all at once' : 'see above'}.`,
  )
  return failedCalls(result) === 0 && wrong.length === 0 && troubles.length === 0
}

function commandEnv(env: Record<string, string>) {
  return { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env }
}

/** An organization with a key, by the commands of the previous version. */
async function firstKey(program: string, env: Record<string, string>): Promise<string> {
  const run = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [program, ...args], { env: commandEnv(env) })).stdout
  await run('org', 'create', 'Acme')
  await run('org', 'api-keys', 'on', 'acme')
  return JSON.parse(await run('key', 'generate', '--org', 'acme', '--json')).secret
}

/** Of another organization, so that the upgrade has something to do. */
async function insertKeys(url: string, count: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
    values ('other', 'ORGANIZATION', 'Other', 'other', 'other', 1, 0)`
  await sql`insert into "apiKey" ("id", "organizationId", "label", "prefix", "secretHash", "createdAt", "createdByKind", "createdByName")
    select 'key ' || i, 'other', 'x', 'emp_000000', convert_to('hash ' || i, 'UTF8'), 0, 'SYSTEM', 'x' from generate_series(1, ${count}) i`
  await sql.end()
}
