import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { PORTAL_SECRET, seed } from '../fault/cluster.ts'
import { createLedgerFolder } from '../fault/ledgers.ts'
import { temporaryFolder } from '../fault/processes.ts'
import { createReplica, PORTAL, type Replica } from '../fault/replica.ts'
import { startPostgres } from '../support/postgres/postgres-server.ts'
import { freePort } from '../support/process/free-port.ts'
import { haproxyProblem, startHaproxy } from './haproxy.ts'
import { failedCalls, type LoadResult, startLoad, sustainedRate } from './load.ts'

const USAGE = `npm run test:restarts [-- [--drain SECONDS] [--rate CALLS] [--rounds N]]
  --drain   DRAIN_SECONDS of the replicas, 5 as in compose.yaml; with 0 calls fail
  --rate    calls a second, at most 1000; by default what this machine sustains
  --rounds  how often each replica is restarted, 1 by default`

const OPTIONS = {
  drain: { type: 'string' },
  rate: { type: 'string' },
  rounds: { type: 'string' },
  help: { type: 'boolean' },
} as const

const MOST_CALLS = 1000
const NOTICED_AFTER_MS = 2_500 // HAProxy checks once a second whether a replica is back

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) process.on(signal, () => process.exit(code))
const say = (words: string) => process.stdout.write(`${words}\n`)

const problem = haproxyProblem()
if (problem) {
  say(`Skipped. ${problem}`)
  process.exit(0)
}
process.exit((await main()) ? 0 : 1)

/** Three replicas behind HAProxy, each restarted under load: no call may fail. */
async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) {
    say(USAGE)
    return true
  }
  const { drain = '5', rounds = '1' } = values
  const { replicas, load, close } = await startReplicas(drain)
  const rate = Math.min(MOST_CALLS, Number(values.rate ?? (await sustainedRate(load, MOST_CALLS))))
  say(`Three replicas with DRAIN_SECONDS=${drain}, ${rate} calls a second.`)

  const calls = startLoad({ ...load, perSecond: rate })
  for (let round = 0; round < Number(rounds); round++) for (const replica of replicas) await restart(replica)
  const result = await calls.stop()
  await close()
  return report(result, replicas)
}

async function startReplicas(drain: string) {
  const folder = temporaryFolder()
  const ledgers = createLedgerFolder('own')
  const postgres = await startPostgres({ durable: true })
  const organizations = await seed({ DATABASE_URL: postgres.url(), PORTAL_SECRET }, 4)
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const env = { DATABASE_URL: postgres.url(), PORTAL_SECRET, DRAIN_SECONDS: drain }
  const replicas = ports.map((port, place) =>
    createReplica(`replica ${place + 1}`, PORTAL, { ...env, PORT: String(port), LEDGER: ledgers.path(place) }),
  )
  await Promise.all(replicas.map((replica) => replica.start()))
  const balancer = await startHaproxy(folder.path, ports)
  return {
    replicas,
    load: { port: () => balancer.port, secrets: organizations.map(({ secret }) => secret) },
    async close() {
      await Promise.all([balancer.close(), ...replicas.map((replica) => replica.kill())])
      await postgres.close()
      for (const { remove } of [folder, ledgers]) remove()
    },
  }
}

async function restart(replica: Replica): Promise<void> {
  const began = performance.now()
  await replica.stop()
  await replica.start()
  say(`${replica.name} stopped and started in ${((performance.now() - began) / 1000).toFixed(1)} s.`)
  await pause(NOTICED_AFTER_MS)
}

function report(result: LoadResult, replicas: readonly Replica[]): boolean {
  const { calls, perSecond, failed, slowestMs } = result
  const count = failedCalls(result)
  say(`${calls} calls, ${perSecond} a second, the slowest in ${Math.round(slowestMs)} ms: ${count} failed.`)
  for (const [why, times] of Object.entries(failed)) say(`  ${times} times: ${why}`)
  const troubles = replicas.flatMap((replica) => replica.troubles())
  for (const trouble of troubles) say(trouble)
  return count === 0 && troubles.length === 0
}
