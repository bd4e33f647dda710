import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'

const POLL_EVERY_MS = 20

/** The longest that something was seen to last, and what. */
interface Longest {
  ms: number
  what: string
}

export interface LocksHeld {
  /** A lock on a table that makes others wait: those that read, or those that write. */
  lock: Longest
  /** A transaction, which holds the locks of the rows that it has changed; not one that creates an index. */
  transaction: Longest
}

interface Seen {
  key: string
  what: string
}

/** Looks again and again for locks that others than the load hold, until it is stopped. */
export function watchLocks(url: string): { stop(): Promise<LocksHeld> } {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'load' } })
  let isOver = false
  const [locks, transactions] = [createStopwatch(), createStopwatch()]
  const looking = (async () => {
    while (!isOver) {
      locks.see(
        await sql<Seen[]>`select concat_ws(' ', l.virtualtransaction, l.relation, l.mode) as key,
            concat_ws(' ', l.mode, l.relation::regclass, left(regexp_replace(a.query, '\\s+', ' ', 'g'), 80)) as what
          from pg_locks l join pg_stat_activity a using (pid)
          where l.granted and l.locktype = 'relation' and a.application_name <> 'load' and l.relation >= 16384
            and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
      )
      transactions.see(
        await sql<
          Seen[]
        >`select concat_ws(' ', pid, xact_start) as key, left(regexp_replace(query, '\\s+', ' ', 'g'), 80) as what from pg_stat_activity
          where xact_start is not null and application_name <> 'load' and backend_type = 'client backend'
            and query !~ '^\\s*create index concurrently'`,
      )
      await pause(POLL_EVERY_MS)
    }
  })()
  return {
    async stop() {
      isOver = true
      await looking
      await sql.end()
      return { lock: locks.longest(), transaction: transactions.longest() }
    },
  }
}

function createStopwatch() {
  const since = new Map<string, number>()
  let longest: Longest = { ms: 0, what: 'none' }
  return {
    see(seen: readonly Seen[]): void {
      const now = performance.now()
      for (const { key, what } of seen) {
        since.set(key, since.get(key) ?? now)
        const ms = now - (since.get(key) ?? now) + POLL_EVERY_MS // it may have begun right after the look before
        if (ms > longest.ms) longest = { ms, what }
      }
      const current = new Set(seen.map(({ key }) => key))
      for (const key of since.keys()) if (!current.has(key)) since.delete(key)
    },
    longest: () => longest,
  }
}
