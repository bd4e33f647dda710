import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './children.ts'
import { expectDevices } from './expected.ts'
import type { Bench } from './question.ts'
import { measure } from './rounds.ts'
import { byKeysInTurn } from './stage.ts'
import { startPortal } from './system.ts'
import { table } from './table.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SAMPLE_MICROS = 200
const MOST_ROWS = 60

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

/** V8's profile: the tree of calls, and which of them was running at each sample. */
interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[]
  samples: number[]
}

/**
 * Where the portal spends its time under the load of P1: by file or package, and by function, alone and with what it
 * calls.
 */
export async function profilePortal({ fleet, generator, effort, progress }: Bench): Promise<string> {
  const folder = temporaryFolder()
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${SAMPLE_MICROS}`]
  const portal = await startPortal('portal', fleet, flags)
  const expected = await expectDevices(portal, fleet)
  progress.say('profile · the portal under load')
  await measure(byKeysInTurn(portal, fleet, expected), generator, effort.roundMs * effort.rounds)
  await portal.stop()
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  if (!file) throw new Error('The portal left no profile behind.')
  return summarizeProfile(JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

function summarizeProfile({ nodes, samples }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const selfByFile = new Map<string, number>()
  const selfByFunction = new Map<string, number>()
  const withCallees = new Map<string, number>()
  let busy = 0
  for (const sample of samples) {
    const frame = frames.get(sample)
    if (!frame || frame.functionName === '(idle)') continue
    busy++
    count(selfByFile, fileOf(frame.url))
    count(selfByFunction, nameOf(frame))
    for (const name of callersOf(sample, frames, parents)) count(withCallees, name)
  }
  return [
    shares('Self', 'File', selfByFile, busy),
    shares('Self', 'Function', selfByFunction, busy),
    shares('With what it calls', 'Function', withCallees, busy),
  ].join('\n\n')
}

/** Each function that was running at a sample, once. */
function callersOf(sample: number, frames: Map<number, CallFrame>, parents: Map<number, number>): Set<string> {
  const names = new Set<string>()
  for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
    const frame = frames.get(id)
    if (frame) names.add(nameOf(frame))
  }
  return names
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
