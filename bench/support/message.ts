/** What load.ts is asked to do: keep this many connections busy, each with one request at a time. */
export interface Load {
  port: number
  /** Whole HTTP requests, sent in turn. */
  requests: string[]
  connections: number
  durationMs: number
  expected: Expected
}

/** What every answer must be; when it is not exact, the body begins like this. */
export interface Expected {
  status: number
  body: string
  exact: boolean
}

export interface LoadResult {
  requests: number
  seconds: number
  p50Ms: number
  p99Ms: number
  /** Of the load generator itself, in all. */
  cpuMicros: number
}

/** What a server that was started with probe.ts is asked. */
export type ProbeQuestion = 'usage' | 'watch queries' | 'queries'

export interface Usage {
  cpuMicros: number
  rssBytes: number
}

/** A query that a server sent to SQLite. */
export interface Query {
  sql: string
  parameters: (string | number)[]
}

/** What a process of the bench says back. */
export type Reply<Answer> = { answer: Answer } | { trouble: string }
