// Loaded into each server before its own code: tells what it uses, and never outlives the bench.
import { type SQLInputValue, StatementSync } from 'node:sqlite'
import type { ProbeQuestion, Query, Reply, Usage } from './message.ts'

const watched: Query[] = []
let isWatching = false

process.on('disconnect', () => process.exit())
process.on('message', (question: ProbeQuestion) => {
  if (question === 'watch queries') watchQueries()
  const reply: Reply<Usage | Query[]> = { answer: question === 'queries' ? watched.splice(0) : usage() }
  process.send?.(reply)
})
process.channel?.unref()

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() }
}

const plain = (value: SQLInputValue) => (typeof value === 'number' ? value : String(value))

/** Only when asked, and then for good: a server that is being timed runs its own code alone. */
function watchQueries(): void {
  if (isWatching) return
  isWatching = true
  for (const name of ['all', 'get', 'iterate'] as const) {
    const query: (...parameters: SQLInputValue[]) => unknown = StatementSync.prototype[name]
    const watching = function (this: StatementSync, ...parameters: SQLInputValue[]) {
      watched.push({ sql: this.sourceSQL, parameters: parameters.map(plain) })
      return query.apply(this, parameters)
    }
    Object.defineProperty(StatementSync.prototype, name, { value: watching, writable: true, configurable: true })
  }
}
