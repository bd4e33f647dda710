// Loaded into a process before its own code: tells what it allocates, keeps and asks SQLite.
import { PerformanceObserver } from 'node:perf_hooks'
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** `collect` collects garbage first. `watch` begins to write down statements; each answer has those since the one before. */
export type Question = 'read' | 'collect' | 'watch'

export interface Look {
  heapBytes: number
  /** Garbage collections since the process began. */
  collections: number
  /** What was asked of SQLite, in order. */
  statements: string[]
}

/** Turns of the event loop until the observer has heard of the last collection. */
const TURNS = 5

let collections = 0
const statements: string[] = []
let isWatching = false

new PerformanceObserver((list) => {
  collections += list.getEntries().length
}).observe({ entryTypes: ['gc'] })

process.on('message', async (question: Question) => {
  if (question === 'watch') watchStatements()
  if (question === 'collect') for (let i = 0; i < 2; i++) globalThis.gc?.()
  for (let i = 0; i < TURNS; i++) await yieldToEventLoop()
  const look: Look = { heapBytes: process.memoryUsage().heapUsed, collections, statements: statements.splice(0) }
  process.send?.(look)
})
process.channel?.unref()

/** Only when asked, and then for good: watching allocates. */
function watchStatements(): void {
  if (isWatching) return
  isWatching = true
  for (const name of ['all', 'get', 'iterate', 'run'] as const) {
    const ask: (...parameters: SQLInputValue[]) => unknown = StatementSync.prototype[name]
    replace(StatementSync.prototype, name, function (this: StatementSync, ...parameters: SQLInputValue[]) {
      statements.push(this.sourceSQL)
      return ask.apply(this, parameters)
    })
  }
  const { exec } = DatabaseSync.prototype
  replace(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    statements.push(sql)
    return exec.call(this, sql)
  })
}

const replace = (owner: object, name: string, value: unknown) =>
  Object.defineProperty(owner, name, { value, writable: true, configurable: true })
