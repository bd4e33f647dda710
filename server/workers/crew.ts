import cluster, { type Worker } from 'node:cluster'
import { SECOND } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { ParentLink } from './link.ts'
import { createRestartPace, type RestartPace } from './restart-pace.ts'
import { BEAT_EVERY_MS } from './worker.ts'

/** So many ticks without a heartbeat: the worker is killed, and replaced. */
const SILENT_TICKS = 5
/** The first one may upgrade the database, and takes as long as it needs. */
const START_TICKS = (120 * SECOND) / BEAT_EVERY_MS

type State = 'starting' | 'serving' | 'retiring'

interface Member {
  id: number
  worker: Worker
  state: State
  forkedAt: number
  /** Since its last heartbeat, or since it was forked. */
  silentTicks: number
}

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
}

interface CrewOptions {
  /** How many of them serve. */
  size: number
  link: ParentLink
  log: Log
  /** The first one has not come as far as serving. */
  onFailedStart(ending: Ending): void
  restartPace?: Partial<RestartPace> | undefined
}

/** The workers: always as many as there should be, each replaced when it dies or hangs. */
export interface Crew {
  /** All that have begun to serve and are there, also those that were replaced. */
  ids(): number[]
  /** The workers that serve, and will go on to. */
  serving(): number[]
  /** Starts the first one, and the others once it serves. */
  start(): void
  /** One after the other, each when its successor serves; once more after that, however often this is called meanwhile. */
  replaceAll(): Promise<void>
  /** From now on none is replaced. Resolves to how those that served have ended. */
  stop(): Promise<Ending[]>
  signal(signal: NodeJS.Signals): void
  /** Called when a worker begins to serve, and when one is gone. */
  onChange(handle: () => void): void
}

export function createCrew({ size, link, log, onFailedStart, restartPace }: CrewOptions): Crew {
  const members = new Map<number, Member>()
  const paceOf = createRestartPace(restartPace)
  const handlers: (() => void)[] = []
  let waiting: (() => void)[] = [] // for the next change
  const endings: Ending[] = []
  const { promise: allGone, resolve: resolveAllGone } = Promise.withResolvers<void>()
  let hasServed = false
  let isStopping = false
  let restartsToCome = 0
  let replacing: Promise<void> | undefined
  let replacingAgain: Promise<void> | undefined

  const inState = (...states: State[]) => [...members.values()].filter(({ state }) => states.includes(state))
  const isServing = ({ id, state }: Member) => members.has(id) && state === 'serving'
  const changed = () => {
    const all = [...handlers, ...waiting]
    waiting = []
    for (const handle of all) handle()
  }

  /** Undefined: that is not possible at the moment, and is tried again later. */
  function fork(): Member | undefined {
    try {
      const worker = cluster.fork({ WORKERS: String(size) }) // `auto` may be another number by now
      const { id } = worker
      const member: Member = { id, worker, state: 'starting', forkedAt: performance.now(), silentTicks: 0 }
      members.set(id, member)
      worker.once('exit', (code, signal) => gone(member, { code, signal: signal as NodeJS.Signals | null })) // typed as text
      worker.on('error', (error) => {
        if (worker.process.pid === undefined) notForked(error, member)
      })
      return member
    } catch (error) {
      notForked(error)
      return undefined
    }
  }

  /** The machine has no room for another process. */
  function notForked(err: unknown, member?: Member): void {
    if (member) leave(member)
    const waitMs = paceOf(0)
    log.error({ err, seconds: waitMs / SECOND }, 'a worker could not be started: it is tried again later')
    if (isStopping) return
    if (hasServed) fillIn(waitMs)
    else onFailedStart({ code: 1, signal: null })
    changed()
  }

  function fill(): void {
    if (isStopping) return
    const there = inState('starting', 'serving').length + restartsToCome
    for (let missing = size - there; missing > 0; missing--) fork()
  }

  function fillIn(ms: number): void {
    restartsToCome++
    setTimeout(() => {
      restartsToCome--
      fill()
    }, ms)
  }

  function leave({ id }: Member): void {
    members.delete(id)
    if (isStopping && members.size === 0) resolveAllGone()
  }

  function gone(member: Member, ending: Ending): void {
    if (isStopping && member.state !== 'starting') endings.push(ending)
    leave(member)
    if (isStopping) return
    if (!hasServed) {
      onFailedStart(ending)
      return
    }
    if (member.state !== 'retiring') replaceDead(member, ending)
    else if (ending.code !== 0) log.error({ died: member.id, ...ending }, 'a worker that was replaced has died')
    changed()
  }

  function replaceDead({ id, forkedAt }: Member, ending: Ending): void {
    const waitMs = paceOf(performance.now() - forkedAt)
    if (waitMs === 0) log.error({ died: id, ...ending }, 'a worker has died and is replaced')
    else
      log.error(
        { died: id, ...ending, seconds: waitMs / SECOND },
        'workers die soon after their start: the next one is started later',
      )
    fillIn(waitMs)
  }

  link.onTell('beat', (id) => {
    const member = members.get(id)
    if (member) member.silentTicks = 0
  })
  link.onTell('ready', (id) => {
    const member = members.get(id)
    if (!member) return
    member.state = 'serving'
    member.silentTicks = 0
    hasServed = true
    fill()
    const serving = inState('serving').length
    log.info({ ready: id, pid: member.worker.process.pid, serving, of: size }, 'a worker serves')
    changed()
  })

  /** Counts ticks, not seconds: after a pause of the whole machine nobody is late. */
  setInterval(() => {
    for (const member of inState('serving', 'retiring'))
      if (++member.silentTicks > SILENT_TICKS) kill(member, 'a worker does not respond and is killed')
    if (!hasServed) return
    for (const member of inState('starting'))
      if (++member.silentTicks > START_TICKS) kill(member, 'a worker does not start and is killed')
  }, BEAT_EVERY_MS).unref()

  function kill({ id, worker }: Member, words: string): void {
    log.error({ killed: id }, words)
    worker.process.kill('SIGKILL')
  }

  const changedOnce = () => new Promise<void>((resolve) => waiting.push(resolve))

  async function hasStarted(member: Member): Promise<boolean> {
    while (members.has(member.id) && member.state === 'starting' && !isStopping) await changedOnce()
    return isServing(member)
  }

  async function replaceEach(): Promise<void> {
    for (const old of inState('serving')) {
      if (isStopping) return
      if (!isServing(old)) continue // it has died meanwhile, and is replaced
      const successor = fork()
      const hasSuccessor = successor !== undefined && (await hasStarted(successor))
      if (isStopping) return
      if (!hasSuccessor) return log.error({ failed: successor?.id }, 'a new worker did not start: the others stay')
      if (!isServing(old)) continue
      old.state = 'retiring'
      await link.ask(old.id, 'retire', {}).catch(() => {}) // it hangs or is gone: that is noticed elsewhere
      fill()
    }
    log.info({ serving: inState('serving').map(({ id }) => id) }, 'all workers are replaced')
  }

  function replaceAll(): Promise<void> {
    if (replacing !== undefined) {
      replacingAgain ??= replacing.then(() => {
        replacingAgain = undefined
        return replaceAll()
      })
      return replacingAgain
    }
    replacing = replaceEach().finally(() => {
      replacing = undefined
    })
    return replacing
  }

  return {
    ids: () => inState('serving', 'retiring').map(({ id }) => id),
    serving: () => (isStopping ? [] : inState('serving').map(({ id }) => id)),
    start: () => void fork(),
    replaceAll,
    async stop() {
      isStopping = true
      changed()
      if (members.size > 0) await allGone
      return endings
    },
    signal(signal) {
      for (const { worker } of members.values()) worker.process.kill(signal)
    },
    onChange: (handle) => void handlers.push(handle),
  }
}
