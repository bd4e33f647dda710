import { flushCompileCache } from 'node:module'
import { readConfig } from '../../../server/config.ts'
import { openDatabase } from '../../../server/db/open.ts'
import { createLog } from '../../../server/lib/log.ts'
import { runBackgroundJobs } from '../../../server/process/background-jobs.ts'
import { startWebhookWorker } from '../../../server/webhooks/webhook-worker.ts'

// A replica without its routes: it runs the background jobs and delivers to webhooks without a pause, until it is killed.
const config = readConfig()
const database = await openDatabase(config)
flushCompileCache() // it will be killed, and the next one need not compile everything again
const deps = { config, database, now: database.now, log: createLog('warn', process.stderr), webDir: undefined }
startWebhookWorker(deps, { pollEveryMs: 10 })
for (;;) {
  await runBackgroundJobs(deps)
  await new Promise((resolve) => setTimeout(resolve, 100))
}
