import { createApp } from './app.ts'
import { createBackupSchedule } from './backup/schedule.ts'
import type { Deps, Tuning } from './caller/deps.ts'
import { type Config, isEveryAddress, originOf, readConfig } from './config.ts'
import { PORTAL_FILES } from './db/sqlite/database.ts'
import { isFieldError } from './graphql/field-errors.ts'
import { createDrain } from './http/drain.ts'
import { listen, requireFreePort } from './http/listen.ts'
import { findWeb } from './http/web.ts'
import { openWithLedger } from './ledger/open-ledger.ts'
import { SECOND } from './lib/clock.ts'
import { createLog, type Log } from './lib/log.ts'
import { connectionsOfEach } from './lib/postgres-address.ts'
import { openToOthers } from './lib/private-files.ts'
import { startWatchdog } from './lib/watchdog.ts'
import { noteSecret } from './mail/secret-fingerprint.ts'
import { createBackgroundWork } from './process/background-work.ts'
import { type FirstStart, firstAdminProblems, prepareFirstStart } from './process/first-start.ts'
import { greeting } from './process/greeting.ts'
import { onHangUp, onStopSignal } from './process/signals.ts'
import { joinWorkers, parentCounts, type WorkerProcess } from './workers/worker.ts'

export const CLOSE_MS = 7 * SECOND // together with the steps that follow, within the 10 s that container runtimes wait before they kill
/** Longer than any idle connection lives: see `keepAliveTimeout` in http/server.ts. */
const RETIRE_MS = 80 * SECOND
const EXIT_AFTER_MS = 0.5 * SECOND

/**
 * The process: config → database → migrate → app → listen; on SIGTERM drains and closes all of them in order. Alone, or
 * as one of several workers: see parent.ts.
 */
export async function serve({ demo }: { demo: boolean }, tuning: Tuning = {}): Promise<void> {
  const config = readConfig(undefined, firstAdminProblems)
  const worker = joinWorkers()
  const log = createLog(config.logLevel, process.stderr, worker?.id) // output for people goes to stdout
  exitOnBug(log)
  goOnWithout(process.stderr)
  if (isFirst(worker)) await requireFreePort(config)
  const { database, ledger } = await openWithLedger(withShareOfConnections(config), {
    log,
    onLost: (error) => exitSoon(log, error),
    upgrade: 'with copy',
    onUpgrade: (words) => log.info(words),
  })
  try {
    const deps = { config, database, ledger, log, now: database.now, webDir: findWeb(), ...tuning }
    const first = isFirst(worker) ? await prepareFirstStart(deps, { demo }) : undefined
    const address = await serveFrom(deps, { demo, worker })
    if (first) greet(deps, address, first)
  } catch (error) {
    await database.close() // its connections would keep the process alive
    throw error
  }
}

/** What has to happen once happens in the first of several workers, before there are others. */
const isFirst = (worker: WorkerProcess | undefined) => worker === undefined || worker.isFirst

/** Workers share `connection_limit`. */
function withShareOfConnections(config: Config): Config {
  const { postgres, workers } = config
  if (!postgres) return config
  return { ...config, postgres: { ...postgres, connectionLimit: connectionsOfEach(postgres.connectionLimit, workers) } }
}

async function serveFrom(
  deps: Deps,
  { demo, worker }: { demo: boolean; worker: WorkerProcess | undefined },
): Promise<string> {
  const { config, database, log } = deps
  let isStopping = false
  const backups = createBackupSchedule(deps)
  const app = await createApp({
    ...deps,
    backups,
    link: worker?.link,
    parentCounts: worker && parentCounts(config.workers, log),
    watchdog: startWatchdog(),
    isStopping: () => isStopping,
  })
  await noteSecret(database, config, deps.now()).catch((err) => log.warn({ err }, 'the fingerprint could not be noted'))
  const drain = createDrain(app.server)
  const background = createBackgroundWork(deps, { demo, backups })
  const endBackground = () => background.close().then(() => worker?.leaveBackgroundWork())
  const stop = onStopSignal(log, {
    drainMs: config.drainSeconds * SECOND,
    begin() {
      isStopping = true
      drain.begin()
    },
    async close() {
      const answered = drain.close(CLOSE_MS).then(() => app.close()) // writes the collected counts, whatever else takes long
      await Promise.all([answered, endBackground()])
      await database.close()
    },
  })
  const address = await listen(app, config)
  log.info({ address }, 'listening')
  if (!worker) {
    onHangUp({
      stop,
      reload: (signal) => log.warn({ signal }, 'nothing is done: with WORKERS above 1, all workers are replaced'),
    })
    background.start()
  }
  worker?.takeUp({
    startBackgroundWork: background.start,
    async retire() {
      log.info('retiring')
      void endBackground()
      const { isOver } = await drain.retire(RETIRE_MS)
      void isOver.then(() => stop('retired'))
    },
    onParentGone: () => void stop('the parent is gone'),
  })
  return address
}

function greet({ config, log }: Deps, address: string, first: FirstStart): void {
  const files = config.postgres ? [] : openToOthers(config.dataDir, PORTAL_FILES)
  if (files.length > 0) log.warn({ files }, 'others than their owner may read these files: change their owner or mode')
  if (!config.baseUrl && (config.smtp || isEveryAddress(config.host)))
    log.warn({ origin: originOf(config) }, 'links in emails and invitations lead here: set BASE_URL')
  if (first.outcome !== 'created demo') goOnWithout(process.stdout) // a secret that is lost must not go unnoticed
  process.stdout.write(greeting(config.baseUrl?.origin ?? address, config, first))
}

/** After an uncaught error the state of the process is unknown: it logs one line, and stops. */
function exitOnBug(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'stopped by an unexpected error')
    process.exit(1)
  })
  process.on('unhandledRejection', (reason) => {
    if (!isFieldError(reason, log)) throw reason // an uncaught error, then
  })
}

/** Output that cannot be written, as on a full disk, stops nothing: it is lost, and later output is written again. */
function goOnWithout(output: NodeJS.WriteStream): void {
  output.removeAllListeners('error').on('error', () => {})
}

/** Until then clients get 503, which is better than no answer. Whoever supervises the process starts it again. */
function exitSoon(log: Log, { message }: Error): void {
  log.fatal(message)
  setTimeout(() => process.exit(1), EXIT_AFTER_MS)
}
