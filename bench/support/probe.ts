// Loaded into each server before its own code: reports its resource usage, and never outlives the bench.
import { Session } from 'node:inspector/promises'
import { PerformanceObserver } from 'node:perf_hooks'
import { type SQLInputValue, StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CpuProfile, Heap, ProbeQuestion, Query, Reply, Usage } from './message.ts'

const SAMPLE_MICROS = 200
/** Event-loop iterations until the last collection is known. */
const TURNS = 5
const READING = /^\s*select\b/i

const watched: Query[] = []
const profiler = new Session()
let isWatching = false
let collections: number | undefined

process.on('disconnect', () => process.exit())
process.on('message', async (question: ProbeQuestion) => {
  const reply: Reply<Usage | Heap | Query[] | CpuProfile> = await answer(question).then(
    (answer) => ({ answer }),
    (error: Error) => ({ error: error.message }),
  )
  process.send?.(reply)
})
process.channel?.unref()

async function answer(question: ProbeQuestion): Promise<Usage | Heap | Query[] | CpuProfile> {
  if (question === 'heap' || question === 'collected heap') return heap(question === 'collected heap')
  if (question === 'queries') return watched.splice(0)
  if (question === 'profile') return endProfile()
  if (question === 'start profile') await startProfile()
  if (question === 'watch queries') watchStatements(() => true)
  if (question === 'watch writes') watchStatements((sql) => !READING.test(sql))
  return usage()
}

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMicros: user + system }
}

/** Collects garbage first if requested, for which the server needs --expose-gc. */
async function heap(collected: boolean): Promise<Heap> {
  if (collections === undefined) countCollections()
  if (collected) for (let i = 0; i < 2; i++) globalThis.gc?.()
  for (let i = 0; i < TURNS; i++) await nextTurn()
  return { bytes: process.memoryUsage().heapUsed, collections: collections ?? 0 }
}

function countCollections(): void {
  collections = 0
  new PerformanceObserver((list) => {
    collections = (collections ?? 0) + list.getEntries().length
  }).observe({ entryTypes: ['gc'] })
}

const plain = (value: SQLInputValue) => (typeof value === 'number' ? value : String(value))

/** Only on request, and then permanently: a server that is timed runs its own code only. */
function watchStatements(concerns: (sql: string) => boolean): void {
  if (isWatching) return
  isWatching = true
  for (const name of ['all', 'get', 'iterate', 'run'] as const) {
    const run: (...parameters: SQLInputValue[]) => unknown = StatementSync.prototype[name]
    const watching = function (this: StatementSync, ...parameters: SQLInputValue[]) {
      const fromMs = performance.now()
      const result = run.apply(this, parameters)
      const toMs = performance.now()
      const sql = this.sourceSQL
      if (concerns(sql)) watched.push({ sql, parameters: parameters.map(plain), fromMs, toMs })
      return result
    }
    Object.defineProperty(StatementSync.prototype, name, { value: watching, writable: true, configurable: true })
  }
}

async function startProfile(): Promise<void> {
  profiler.connect()
  await profiler.post('Profiler.enable')
  await profiler.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS })
  await profiler.post('Profiler.start')
}

async function endProfile(): Promise<CpuProfile> {
  const { profile } = await profiler.post('Profiler.stop')
  profiler.disconnect()
  return { nodes: profile.nodes, samples: profile.samples ?? [] }
}
