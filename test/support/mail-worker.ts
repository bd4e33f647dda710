import { flushCompileCache } from 'node:module'
import { doChores } from '../../server/chores.ts'
import { readConfig } from '../../server/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { createLog } from '../../server/lib/log.ts'
import { startPostman } from '../../server/mail/postman.ts'

// A replica without its doors: it does the chores and delivers letters without a pause, until it is killed.
const config = readConfig()
const database = await openDatabase(config)
flushCompileCache() // it will be killed, and the next one need not compile everything again
const deps = { config, database, now: database.now, log: createLog('warn', process.stderr), webDir: undefined }
const postman = startPostman(deps)
for (;;) {
  await doChores(deps)
  await postman?.deliver()
}
