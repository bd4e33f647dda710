import cluster from 'node:cluster'
import { constants } from 'node:os'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import { type Config, readConfig } from '../config.ts'
import { OperatorError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import { createLog, type Log } from '../lib/log.ts'
import { type Crew, createCrew, type Ending } from '../workers/crew.ts'
import { gatherMetrics } from '../workers/gathered-metrics.ts'
import { linkToWorkers, type ParentLink } from '../workers/link.ts'
import type { RestartPace } from '../workers/restart-pace.ts'
import { onHangUp } from './signals.ts'

/** A worker gives up after 9.5 s; container runtimes kill after 10. */
const KILL_AFTER_MS = 9.8 * SECOND

/** Settings that tests change. */
interface ParentTuning {
  restartPace?: Partial<RestartPace>
}

/**
 * With `WORKERS` above 1, this process starts workers, which serve, and watches them. It opens no database and answers
 * no request, so that little can happen to it. Returns false where this process is to serve itself: alone, or as a worker.
 */
export function superviseIfConfigured(tuning: ParentTuning = {}): boolean {
  if (cluster.isWorker) return false
  const config = configIfSound()
  if (!config || config.workers === 1) return false
  supervise(config, tuning)
  return true
}

/** Undefined: whoever serves reads it again, and reports all that is wrong with it. */
function configIfSound(): Config | undefined {
  try {
    return readConfig()
  } catch (error) {
    if (error instanceof OperatorError) return undefined
    throw error
  }
}

function supervise({ workers, logLevel, drainSeconds }: Config, tuning: ParentTuning): void {
  const log = createLog(logLevel, process.stderr)
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'stopped by an unexpected error')
    process.exit(1) // the workers notice, and stop too
  })
  process.stderr.removeAllListeners('error').on('error', () => {}) // output that cannot be written stops nothing
  cluster.schedulingPolicy = cluster.SCHED_NONE // by turns, a connection on its way to a worker that dies would hang
  const link = linkToWorkers()
  const onFailedStart = (ending: Ending) => process.exit(exitCodeOf(ending)) // the worker has said why
  const crew = createCrew({ size: workers, link, log, onFailedStart, ...tuning })
  assignBackgroundWork(crew, link, log)
  gatherMetrics(crew, link)
  new RateLimiterClusterMaster() // counts for all workers: see workers/worker.ts
  const stop = stopOnSignal(crew, log, drainSeconds * SECOND)
  onHangUp({
    stop,
    reload(signal) {
      log.info({ signal }, 'the workers are replaced one by one')
      void crew.replaceAll()
    },
  })
  crew.start()
}

function stopOnSignal(crew: Crew, log: Log, drainMs: number): (signal: NodeJS.Signals) => Promise<void> {
  let isFirst = true
  const stop = async (signal: NodeJS.Signals) => {
    const ended = crew.stop()
    crew.signal(signal === 'SIGINT' ? signal : 'SIGTERM') // a second one too, to cut the drain short
    if (!isFirst) return
    isFirst = false
    setTimeout(() => {
      log.error('the workers could not be stopped in time')
      crew.signal('SIGKILL')
    }, drainMs + KILL_AFTER_MS).unref()
    const endings = await ended
    log.info({ signal }, 'all workers have stopped')
    process.exit(Math.max(0, ...endings.map(exitCodeOf)))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  return stop
}

/** As a shell has it. */
const exitCodeOf = ({ code, signal }: Ending) => code ?? 128 + (signal ? constants.signals[signal] : 0)

const AGAIN_AFTER_MS = SECOND

/** Lets one worker do what runs without a request; when that has stopped there, or the worker is gone, another one. */
function assignBackgroundWork(crew: Crew, link: ParentLink, log: Log): void {
  let assigned: number | undefined

  function assign(): void {
    const [worker] = crew.serving()
    if (assigned !== undefined || worker === undefined) return
    assigned = worker
    link.ask(worker, 'background work', {}).then(
      () => log.info({ by: worker }, 'background jobs run'),
      (error) => {
        log.warn({ err: error, asked: worker }, 'background jobs could not be started; this is tried again') // it hangs, or is gone
        setTimeout(() => ended(worker), AGAIN_AFTER_MS).unref()
      },
    )
  }

  function ended(worker: number): void {
    if (assigned !== worker) return
    assigned = undefined
    assign()
  }

  link.onTell('background work ended', ended)
  link.onGone(ended)
  crew.onChange(assign)
}
