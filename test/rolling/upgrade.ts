import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import postgres from 'postgres'
import { PORTAL_SECRET } from '../fault/cluster.ts'
import { createLedgerFolder } from '../fault/ledgers.ts'
import { temporaryFolder } from '../fault/processes.ts'
import { createReplica, PORTAL, type Replica } from '../fault/replica.ts'
import { startPostgres } from '../support/postgres/postgres-server.ts'
import { failedCalls, startLoad, sustainedRate } from './load.ts'
import { previousVersionProblem, unpackPreviousVersion } from './previous-version.ts'
import { revokeAcross } from './revokes.ts'

const USAGE = `npm run test:upgrade [-- [--rate CALLS] [--keys N] [--revokes N]]
  --rate     calls a second, at most 1000; by default what this machine sustains
  --keys     how many keys the database has, 100,000 by default
  --revokes  how many keys are generated and revoked by the two versions in turn, 40 by default`

const OPTIONS = {
  rate: { type: 'string' },
  keys: { type: 'string' },
  revokes: { type: 'string' },
  help: { type: 'boolean' },
} as const

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
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) {
    say(USAGE)
    return true
  }
  const revokes = Number(values.revokes ?? 40)
  const { old, next, secret, previousRefuses, close } = await startBoth(Number(values.keys ?? 100_000))
  let called: readonly Replica[] = old
  const load = { port: (client: number) => called[client % called.length]?.port() ?? 0, secrets: [secret] }
  const rate = Math.min(MOST_CALLS, Number(values.rate ?? (await sustainedRate(load, MOST_CALLS))))
  say(`Two replicas of the previous version, ${rate} calls a second.`)

  const calls = startLoad({ ...load, perSecond: rate })
  await pause(SETTLE_MS)
  await next.start()
  say('This version has upgraded the database and started; both versions serve.')
  called = [...old, next]
  const wrong = await revokeInTurns(secret, called, revokes)
  if (!(await previousRefuses())) wrong.push('the previous version does not refuse the newer database')
  called = [next]
  await pause(SETTLE_MS)
  await Promise.all(old.map((replica) => replica.stop()))
  const result = await calls.stop()
  await close()

  wrong.push(...[...old, next].flatMap((replica) => replica.troubles()))
  say(
    `${result.calls} calls, ${result.perSecond} a second, the slowest in ${Math.round(result.slowestMs)} ms: ${failedCalls(result)} failed.`,
  )
  for (const [why, times] of Object.entries(result.failed)) say(`  ${times} times: ${why}`)
  say(`${revokes} keys generated and revoked by the versions in turn: ${wrong.length} problems.`)
  for (const words of wrong) say(`  ${words}`)
  return failedCalls(result) === 0 && wrong.length === 0
}

/** The previous version runs, on a database with this many keys; this version does not yet. */
async function startBoth(keys: number) {
  const folder = temporaryFolder()
  const ledgers = createLedgerFolder('own')
  const server = await startPostgres({ durable: true })
  const previous = unpackPreviousVersion(folder.path)
  const env = (place: number) => ({ DATABASE_URL: server.url(), PORTAL_SECRET, LEDGER: ledgers.path(place) })
  const secret = await firstKey(previous, env(0))
  await insertKeys(server.url(), keys)
  const old = [0, 1].map((place) => createReplica(`previous version ${place + 1}`, [previous, 'serve'], env(place)))
  const next = createReplica('this version', PORTAL, env(2))
  await Promise.all(old.map((replica) => replica.start()))
  return {
    old,
    next,
    secret,
    previousRefuses: () =>
      runCommand(previous, env(0), 'org', 'list').then(
        () => false,
        ({ stderr }: { stderr: string }) => stderr.includes('newer than this program'),
      ),
    async close() {
      await next.kill()
      await server.close()
      for (const { remove } of [folder, ledgers]) remove()
    },
  }
}

async function revokeInTurns(secret: string, replicas: readonly Replica[], count: number): Promise<string[]> {
  const wrong: string[] = []
  const all = replicas.map((replica) => replica.port() ?? 0)
  for (let i = 0; i < count; i++) {
    const [generatesAt = 0, revokesAt = 0] = [all.at(i % 3), all.at((i + 1 + (i % 2)) % 3)]
    wrong.push(...(await revokeAcross(secret, { generatesAt, revokesAt, all })))
  }
  return wrong
}

async function runCommand(program: string, env: Record<string, string>, ...args: string[]): Promise<string> {
  const { PATH, HOME } = process.env
  return (await promisify(execFile)(process.execPath, [program, ...args], { env: { PATH, HOME, ...env } })).stdout
}

/** An organization with a key, by the commands of the previous version. */
async function firstKey(program: string, env: Record<string, string>): Promise<string> {
  await runCommand(program, env, 'org', 'create', 'Acme')
  await runCommand(program, env, 'org', 'api-keys', 'on', 'acme')
  return JSON.parse(await runCommand(program, env, 'key', 'generate', '--org', 'acme', '--json')).secret
}

/** Inserts keys of another organization, so that the upgrade has something to do. */
async function insertKeys(url: string, count: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
    values ('other', 'ORGANIZATION', 'Other', 'other', 'other', 1, 0)`
  await sql`insert into "apiKey" ("id", "organizationId", "label", "prefix", "secretHash", "createdAt", "createdByKind", "createdByName")
    select 'key ' || i, 'other', 'x', 'emp_000000', convert_to('hash ' || i, 'UTF8'), 0, 'SYSTEM', 'x' from generate_series(1, ${count}) i`
  await sql.end()
}
