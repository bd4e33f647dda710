import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rawCall } from './call.ts'
import { temporaryFolder } from './children.ts'
import { expectDevices } from './expected.ts'
import type { Bench } from './question.ts'
import { CONNECTIONS } from './rounds.ts'
import { startPortal } from './system.ts'
import { table } from './table.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SAMPLE_MICROS = 200
const MOST_ROWS = 40

/** What V8 writes: the tree of calls, and which of them was running at each sample. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
}

/** Where the portal spends its own time under the load of P1: by function, and by file or package. */
export async function profilePortal({ fleet, generator, effort, progress }: Bench): Promise<string> {
  const folder = temporaryFolder()
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${SAMPLE_MICROS}`]
  const portal = await startPortal('portal', fleet, flags)
  const expected = await expectDevices(portal, fleet)
  progress.say('profile · the portal under load')
  await generator.run({
    port: portal.port,
    requests: [rawCall(portal.port, fleet.secret)],
    expected,
    connections: CONNECTIONS,
    durationMs: effort.roundMs * effort.rounds,
  })
  await portal.stop()
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  if (!file) throw new Error('The portal left no profile behind.')
  return summarizeProfile(JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

function summarizeProfile({ nodes, samples }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const byFunction = new Map<string, number>()
  const byPlace = new Map<string, number>()
  let busy = 0
  for (const id of samples) {
    const frame = frames.get(id)
    if (!frame || frame.functionName === '(idle)') continue
    const place = placeOf(frame.url)
    busy++
    count(byPlace, place)
    count(byFunction, `${frame.functionName || '(anonymous)'} ${place}${frame.url ? `:${frame.lineNumber + 1}` : ''}`)
  }
  return [shares('Place', byPlace, busy), shares('Function', byFunction, busy)].join('\n\n')
}

function shares(title: string, counts: Map<string, number>, of: number): string {
  const largest = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_ROWS)
  return table([['Self', title], ...largest.map(([name, samples]) => [`${((samples / of) * 100).toFixed(1)} %`, name])])
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

function placeOf(url: string): string {
  if (!url.startsWith('file:')) return url || '(native)'
  const path = relative(ROOT, fileURLToPath(url))
  return path.replace(/^.*node_modules\//, '')
}
