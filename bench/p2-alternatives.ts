import { expectDevices } from './support/expected.ts'
import { type Peer, startPeer } from './support/peer.ts'
import { type Absent, type Answer, absentBy, type Bench, type Finding, type Question } from './support/question.ts'
import { alternateAnew, type Measure, ratioOf, rowOf } from './support/rounds.ts'
import type { Fleet } from './support/seed.ts'
import { byKeysInTurn } from './support/stage.ts'
import { learnFloor, type System, startFloor, startPortal } from './support/system.ts'
import { withPostgresFleet } from './support/with-postgres.ts'

const ON_SQLITE: Peer[] = ['yoga', 'apollo', 'better-auth', 'mercurius']
const ON_POSTGRES: Peer[] = ['postgraphile']

/** The portal and its alternatives on one database. */
interface Field {
  fleet: Fleet
  /** What the portal is called there. */
  portal: string
  peers: Peer[]
  /** What is measured beside them. */
  others(): Promise<System[]>
}

/** Whether people would be better served by what they can build themselves. */
export const alternatives: Question = {
  id: 'P2',
  asks: 'the call of P1, against hand-written services, better-auth with its keys, Mercurius, and PostGraphile, on the same data',
  isLong: true,
  async answer(bench) {
    const { fleet, progress } = bench
    const learned = await learnFloor(fleet)
    const others = async () => [await startFloor(fleet, learned)]
    const onSqlite = await compare(bench, { fleet, portal: 'portal', peers: ON_SQLITE, others })
    const onPostgres = await withPostgresFleet(
      { keys: 1000 },
      async (fleet, absent): Promise<Answer> => {
        if (!fleet) return { findings: [], systems: [], absent }
        const field = { fleet, portal: 'portal on PostgreSQL', peers: ON_POSTGRES, others: async () => [] }
        return compare(bench, field)
      },
      progress,
    )
    return {
      findings: [...onSqlite.findings, ...onPostgres.findings],
      systems: [...onSqlite.systems, ...onPostgres.systems],
      absent: [...(onSqlite.absent ?? []), ...(onPostgres.absent ?? [])],
    }
  },
}

async function compare(bench: Bench, field: Field): Promise<Answer> {
  const { present, absent } = await tryPeers(bench, field)
  if (present.length === 0) return { findings: [], systems: [], absent }
  const { fleet, portal: name, others } = field
  let names: string[] = []
  const start = async () => {
    const portal = await startPortal(name, fleet)
    const expected = await expectDevices(portal, fleet)
    const systems: System[] = [portal]
    for (const peer of present) systems.push(await startPeer(peer, fleet, expected))
    systems.push(...(await others()))
    names = systems.map((system) => system.name)
    return systems.map((system) => byKeysInTurn(system, fleet, expected))
  }
  const all = await alternateAnew(bench, 'P2', start)
  const [ofPortal = [], ...ofPeers] = all
  return {
    findings: present.flatMap((peer, i) => findingsOf(peer, name, ofPortal, ofPeers[i] ?? [])),
    systems: all.map((measures, i) => rowOf(names[i] ?? '', measures)),
    absent,
  }
}

/** Which of them can be installed and started here, and why others cannot. */
async function tryPeers({ progress }: Bench, { fleet, peers }: Field): Promise<{ present: Peer[]; absent: Absent[] }> {
  const portal = await startPortal('portal', fleet)
  const expected = await expectDevices(portal, fleet)
  await portal.stop()
  const present: Peer[] = []
  const absent: Absent[] = []
  for (const peer of peers) {
    progress.say(`P2 · installing and starting ${peer}`)
    try {
      await (await startPeer(peer, fleet, expected)).stop()
      present.push(peer)
    } catch (error) {
      absent.push(absentBy(peer, error))
    }
  }
  return { present, absent }
}

const MORE_THAN_MERCURIUS = 1.1
const MORE_THAN_YOGA = 3

function findingsOf(peer: Peer, portal: string, ofPortal: Measure[], ofPeer: Measure[]): Finding[] {
  const throughput: Finding = {
    what: `requests a second, ${portal} against ${peer}`,
    value: ratioOf(ofPortal, ofPeer, 'requestsPerSecond'),
    unit: '×',
    ...(peer === 'yoga' ? { budget: { atLeast: MORE_THAN_YOGA } } : {}),
  }
  const cpu: Finding = {
    what: `CPU a request, ${peer} against ${portal}`,
    value: ratioOf(ofPeer, ofPortal, 'cpuMicros'),
    unit: '×',
    budget: { atLeast: peer === 'mercurius' ? MORE_THAN_MERCURIUS : 1 },
  }
  return [throughput, cpu]
}
