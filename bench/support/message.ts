/** What load.ts is asked to do: keep this many connections busy, each with one request at a time. */
export interface Load {
  port: number
  /** Whole HTTP requests, sent in turn. */
  requests: string[]
  /** With which of them to go on; the first unless told. */
  from?: number
  connections: number
  durationMs: number
  /** What they must answer: one for all, or one for each. */
  expected: Expected | Expected[]
}

/** What every answer must be; when it is not exact, the body begins like this. */
export interface Expected {
  status: number
  body: string
  exact: boolean
}

export interface LoadResult {
  seconds: number
  /** Of each request. */
  latenciesMs: number[]
  /** Of the load generator itself, in all. */
  cpuMicros: number
}

/** What a server that was started with probe.ts is asked. */
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

/** What is on the heap, and how often garbage was collected since the first time this was asked. */
export interface Heap {
  bytes: number
  collections: number
}

/** A statement that a server ran on SQLite, with the moments of its process at which it began and ended. */
export interface Query {
  sql: string
  parameters: (string | number)[]
  fromMs: number
  toMs: number
}

/** What V8 saw of a server: the tree of calls, and which of them was running at each sample. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] | undefined }[]
  samples: number[]
}

/** What a process of the bench says back. */
export type Reply<Answer> = { answer: Answer } | { trouble: string }
