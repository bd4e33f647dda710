import { createApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import type { Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import type { Deps } from './deps.ts'
import { SECOND, systemClock } from './lib/clock.ts'
import { OperatorError } from './lib/failure.ts'
import { createLog } from './lib/log.ts'
import { prepareFirstStart } from './start/first-start.ts'
import { greeting } from './start/greeting.ts'

const DRAIN_MS = 10 * SECOND

/** The process: config → database → migrate → app → listen, and all of it closed in order on SIGTERM. */
export async function serve({ demo }: { demo: boolean }): Promise<void> {
  const config = readConfig()
  const log = createLog(config.logLevel)
  const database = openDatabase(config)
  const deps: Deps = { config, database, log, now: systemClock }
  await migrate(database, systemClock)
  const first = await prepareFirstStart(deps, { demo })
  const app = await createApp(deps)
  closeOnSignal(() => app.close(), database, log)
  const address = await listen(app, config)
  log.info({ address }, 'listening')
  process.stdout.write(greeting(config.baseUrl?.origin ?? address, first))
}

async function listen(app: Awaited<ReturnType<typeof createApp>>, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      throw new OperatorError(`Port ${port} is taken: stop the program that uses it, or set PORT to another number.`)
    }
    if (code === 'EACCES') throw new OperatorError(`Port ${port} needs more rights: set PORT to 1024 or more.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new OperatorError(`HOST ${host} is no address of this machine: set it to 127.0.0.1, or 0.0.0.0 for all.`)
    }
    throw error
  }
}

/** Stops taking requests, answers those that are under way, writes what is gathered, and closes the database last. */
function closeOnSignal(closeApp: () => Promise<void>, database: Database, log: Deps['log']): void {
  let closing = false
  const close = async (signal: string) => {
    if (closing) return
    closing = true
    log.info({ signal }, 'closing')
    setTimeout(() => process.exit(1), DRAIN_MS).unref()
    await closeApp()
    await database.close()
    log.info('closed')
    process.exit(0)
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
}
