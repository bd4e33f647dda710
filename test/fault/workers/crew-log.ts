/** A line of the log, as far as it tells of workers. */
interface LogLine {
  level: string
  msg: string
  worker?: number
  requestId?: string
  status?: number
  ready?: number
  pid?: number
  by?: number
  died?: number
  killed?: number
}

/** A time in which connections may be lost. */
export interface Span {
  from: number
  /** Infinity until all that it meant has arrived here. */
  to: number
}

/** When a worker said something. */
interface Said {
  worker: number
  at: number
}

/** A worker that is gone, from the signal on. */
export interface Death extends Span {
  worker: number
}

const ALL_REPLACED = 'all workers are replaced'
const REPLACEMENT_FAILED = 'a new worker did not start: the others stay'
const COUNTS_ALONE = 'the parent does not answer'
const USAGE_NOT_WRITTEN = 'usage of keys could not be written'

/** A line of the log and a lost connection that are there at the same time are read in any order. */
const SAME_TURN_MS = 50

/** What the log of a portal tells about its workers, read line by line as it comes. */
export interface CrewLog {
  read(line: string): void
  /** The processes of those that serve and have not been replaced, by their ids. */
  serving: ReadonlyMap<number, number>
  deaths: readonly Death[]
  /** When none of them served: then connections are refused. */
  outages: readonly Span[]
  /** Which worker has which mark in the ids of its requests. */
  workerOf: ReadonlyMap<string, number>
  /** To be told before a signal is sent to a worker: its death is then none by itself. */
  disturb(worker: number): void
  /** To be told when it runs on. */
  settle(worker: number): void
  /** How often all of them have been replaced, or a replacement did not start. */
  replacements(): number
  /** The worker that has the background jobs. */
  hasJobs(): number | undefined
  /** Lines that say that a worker counts alone, because the parent does not answer. */
  countedAlone: readonly Said[]
  /** Lines that say that it could not write what it had counted. */
  notWritten: readonly Said[]
  /** What must not be in it. */
  wrong: string[]
}

export function createCrewLog(): CrewLog {
  const serving = new Map<number, number>()
  const deaths: Death[] = []
  const outages: Span[] = []
  const workerOf = new Map<string, number>()
  const disturbedAt = new Map<number, number>()
  const killedAt = new Map<number, number>()
  const countedAlone: Said[] = []
  const notWritten: Said[] = []
  const wrong: string[] = []
  let replacements = 0
  let jobs: number | undefined

  function died(worker: number): void {
    serving.delete(worker)
    if (jobs === worker) jobs = undefined
    const from = disturbedAt.get(worker) ?? killedAt.get(worker)
    if (from === undefined) wrong.push(`worker ${worker} has died by itself`)
    const death: Death = { worker, from: from ?? performance.now(), to: Number.POSITIVE_INFINITY }
    deaths.push(death)
    endSoon(death)
    if (serving.size === 0) outages.push({ from: death.from, to: Number.POSITIVE_INFINITY })
  }

  function serves(worker: number, pid: number): void {
    const outage = outages.at(-1)
    if (outage && serving.size === 0) endSoon(outage)
    serving.set(worker, pid)
  }

  function takeJobs(worker: number): void {
    if (jobs !== undefined) wrong.push(`worker ${worker} has the background jobs while worker ${jobs} has them`)
    jobs = worker
  }

  return {
    serving,
    deaths,
    outages,
    workerOf,
    countedAlone,
    notWritten,
    wrong,
    disturb: (worker) => void (disturbedAt.has(worker) || disturbedAt.set(worker, performance.now())),
    settle: (worker) => void disturbedAt.delete(worker),
    replacements: () => replacements,
    hasJobs: () => jobs,
    read(text) {
      const line = parse(text)
      if (!line) return void wrong.push(`the portal said ${text}`)
      const { msg, worker, requestId, ready, pid, by, died: dead, killed } = line
      if (worker !== undefined && requestId) workerOf.set(requestId.split('-')[0] ?? '', worker)
      if (ready !== undefined && pid !== undefined) serves(ready, pid)
      if (killed !== undefined) killedAt.set(killed, performance.now() - SAME_TURN_MS)
      if (dead !== undefined) died(dead)
      if (by !== undefined) takeJobs(by)
      if (worker !== undefined && msg === 'retiring') {
        serving.delete(worker)
        if (jobs === worker) jobs = undefined
      }
      if (msg === ALL_REPLACED || msg === REPLACEMENT_FAILED) replacements++
      const said = worker !== undefined && { worker, at: performance.now() }
      if (said && msg.startsWith(COUNTS_ALONE)) countedAlone.push(said)
      if (said && msg.startsWith(USAGE_NOT_WRITTEN)) notWritten.push(said)
      if (isTrouble(line)) wrong.push(`the portal logged ${text}`)
    },
  }
}

function parse(text: string): LogLine | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a line tells of happened to connections before: that is read in this turn of the event loop, or the next. */
function endSoon(span: Span): void {
  setImmediate(() =>
    setImmediate(() => {
      span.to = performance.now()
    }),
  )
}

/** A worker that is gone, since they are killed here, and one that could not answer, and said so to the caller, are no trouble. */
const isTrouble = ({ level, status, msg, died, killed }: LogLine) =>
  (level === 'error' || level === 'fatal') &&
  status !== 503 &&
  died === undefined &&
  killed === undefined &&
  msg !== REPLACEMENT_FAILED
