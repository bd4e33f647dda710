import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expectDevices } from './expected.ts'
import type { CallFrame, CpuProfile } from './message.ts'
import { type Peer, startPeer } from './peer.ts'
import type { Bench } from './question.ts'
import { measure } from './rounds.ts'
import type { Fleet } from './seed.ts'
import { byKeysInTurn } from './stage.ts'
import { type System, startPortal } from './system.ts'
import { table } from './table.ts'
import { withPostgresFleet } from './with-postgres.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MOST_ROWS = 60
const NEEDS_POSTGRES: Peer[] = ['postgraphile']

/**
 * Where the portal, or an alternative, spends its time under the load of P1: by file or package, and by function, alone and with
 * what it calls.
 */
export async function profileUnderLoad(bench: Bench, peer: Peer | undefined): Promise<string> {
  if (!peer || !NEEDS_POSTGRES.includes(peer)) return profileOn(bench.fleet, bench, peer)
  return withPostgresFleet({ keys: 1000 }, async (fleet, absent) => {
    if (!fleet) throw new Error(absent.map(({ name, why }) => `There is no ${name} here. ${why}`).join('\n'))
    return profileOn(fleet, bench, peer)
  })
}

async function profileOn(fleet: Fleet, { generator, effort, progress }: Bench, peer?: Peer): Promise<string> {
  const portal = await startPortal('portal', fleet)
  const expected = await expectDevices(portal, fleet)
  const under = (system: System, durationMs: number) =>
    measure(byKeysInTurn(system, fleet, expected), generator, durationMs)
  const system = peer ? await startPeer(peer, fleet, expected) : portal
  progress.say(`profile · ${system.name} under load`)
  await under(system, effort.warmUpMs)
  const profile = await system.profileDuring(() => under(system, effort.roundMs * effort.rounds))
  for (const each of new Set([system, portal])) await each.stop()
  return summarizeProfile(profile)
}

function summarizeProfile({ nodes, samples }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const [selfByFile, selfByFunction] = [new Map<string, number>(), new Map<string, number>()]
  const [filesWithCallees, withCallees] = [new Map<string, number>(), new Map<string, number>()]
  let busy = 0
  for (const sample of samples) {
    const frame = frames.get(sample)
    if (!frame || frame.functionName === '(idle)') continue
    busy++
    count(selfByFile, placeOf(frame.url))
    count(selfByFunction, nameOf(frame))
    const running = callersOf(sample, frames, parents)
    for (const place of new Set(running.map(({ url }) => placeOf(url)))) count(filesWithCallees, place)
    for (const name of new Set(running.map(nameOf))) count(withCallees, name)
  }
  return [
    shares('Self', 'File or package', selfByFile, busy),
    shares('With what it calls', 'File or package', filesWithCallees, busy),
    shares('Self', 'Function', selfByFunction, busy),
    shares('With what it calls', 'Function', withCallees, busy),
  ].join('\n\n')
}

/** Each function that was running at a sample. */
function callersOf(sample: number, frames: Map<number, CallFrame>, parents: Map<number, number>): CallFrame[] {
  const running: CallFrame[] = []
  for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
    const frame = frames.get(id)
    if (frame) running.push(frame)
  }
  return running
}

const nameOf = ({ functionName, url, lineNumber }: CallFrame) =>
  `${functionName || '(anonymous)'} ${fileOf(url)}${url ? `:${lineNumber + 1}` : ''}`

function shares(measure: string, title: string, counts: Map<string, number>, of: number): string {
  const largest = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_ROWS)
  const rows = largest.map(([name, samples]) => [`${((samples / of) * 100).toFixed(1)} %`, name])
  return table([[measure, title], ...rows])
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

function fileOf(url: string): string {
  if (!url.startsWith('file:')) return url || '(native)'
  const path = relative(ROOT, fileURLToPath(url))
  return path.replace(/^.*node_modules\//, '')
}

/** A file of ours, or the package of another. */
function placeOf(url: string): string {
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? []
  return name ?? fileOf(url)
}
