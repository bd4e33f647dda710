/** A task for load.ts: keep this many connections busy, each with one request at a time. */
export interface Load {
  /** The connections are spread over them. */
  ports: number[]
  /** Whole HTTP requests, sent in turn. */
  requests: string[]
  /** The index of the first of them to send; 0 by default. */
  from?: number
  connections: number
  durationMs: number
  /** The expected response: one for all, or one for each. */
  expected: Expected | Expected[]
}

/** What every response must be; if it is not exact, the body begins like this. */
export interface Expected {
  status: number
  body: string
  exact: boolean
}

export interface LoadResult {
  seconds: number
  /** The latency of each request. */
  latenciesMs: number[]
  /** The CPU time of the load generator itself, in all. */
  cpuMicros: number
}

/** A question to a server that was started with probe.ts. */
export type ProbeQuestion =
  | 'usage'
  | 'heap'
  | 'collected heap'
  | 'watch queries'
  | 'watch writes'
  | 'queries'
  | 'start profile'
  | 'profile'

export interface Usage {
  cpuMicros: number
}

/** The heap size, and how often garbage was collected since the first question. */
export interface Heap {
  bytes: number
  collections: number
}

/** A statement that a server ran on SQLite, with its start and end in the time of its process. */
export interface Query {
  sql: string
  parameters: (string | number)[]
  fromMs: number
  toMs: number
}

/** V8's profile of a server: the tree of calls, and which of them was running at each sample. */
export interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] | undefined }[]
  samples: number[]
}

export interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

/** The reply of a process of the bench. */
export type Reply<Answer> = { answer: Answer } | { error: string }
