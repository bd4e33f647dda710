import { rawCall } from './support/call.ts'
import { expectDevices } from './support/expected.ts'
import { type Peer, startPeer } from './support/peer.ts'
import { type Absent, absentBy, type Bench, type Finding, type Question } from './support/question.ts'
import { alternateAnew, type Measure, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { learnFloor, type System, startFloor, startPortal } from './support/system.ts'

const HAND_MADE = 'yoga'
const FASTEST = 'mercurius'
const PEERS: Peer[] = [HAND_MADE, 'better-auth', FASTEST]

/** Whether people would be better served by what they can build themselves. */
export const alternatives: Question = {
  id: 'P2',
  asks: 'the call of P1, against a hand-written service, better-auth with its keys, and Mercurius, on the same data',
  isLong: true,
  async answer(bench) {
    const { fleet } = bench
    const learned = await learnFloor(fleet)
    const { present, absent } = await tryPeers(bench)
    const start = async () => {
      const portal = await startPortal('portal', fleet)
      const expected = await expectDevices(portal, fleet)
      const systems: System[] = [portal, await startFloor(fleet, learned)]
      for (const peer of present) systems.push(await startPeer(peer, fleet, expected))
      return systems.map((system): Stage => {
        return { name: system.name, system, requests: [rawCall(system.port, fleet.secret)], expected }
      })
    }
    const [ofPortal = [], ofFloor = [], ...ofPeers] = await alternateAnew(bench, 'P2', start)
    const peers = present.map((name, i) => ({ name, measures: ofPeers[i] ?? [] }))
    return {
      findings: peers.flatMap(({ name, measures }) => findingsOf(name, ofPortal, measures)),
      systems: [rowOf('portal', ofPortal), rowOf('floor', ofFloor), ...peers.map((p) => rowOf(p.name, p.measures))],
      absent,
    }
  },
}

/** Which of them can be installed and started here, and why others cannot. */
async function tryPeers({ fleet, progress }: Bench): Promise<{ present: Peer[]; absent: Absent[] }> {
  const portal = await startPortal('portal', fleet)
  const expected = await expectDevices(portal, fleet)
  await portal.stop()
  const present: Peer[] = []
  const absent: Absent[] = []
  for (const peer of PEERS) {
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

function findingsOf(name: string, ofPortal: Measure[], ofPeer: Measure[]): Finding[] {
  const throughput: Finding = {
    what: `requests a second, portal against ${name}`,
    value: ratioOf(ofPortal, ofPeer, 'requestsPerSecond'),
    unit: '×',
    ...(name === HAND_MADE ? { budget: { atLeast: process.arch === 'x64' ? 4 : 3 } } : {}),
  }
  const cpu = ratioOf(ofPeer, ofPortal, 'cpuMicros')
  return [
    throughput,
    {
      what: `CPU a request, ${name} against portal`,
      value: cpu,
      unit: '×',
      budget: { atLeast: name === FASTEST ? 1.25 : 1 },
    },
  ]
}
