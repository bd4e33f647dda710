import cluster from 'node:cluster'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createPasswordThreads } from '../../../server/identity/password-threads.ts'
import { HOUR } from '../../../server/lib/clock.ts'
import { serve } from '../../../server/main.ts'
import { superviseIfConfigured } from '../../../server/process/parent.ts'

/*
 * A portal with workers, and a folder: they die at their start while it has a file `die`, and write to its file `hashes`
 * when they begin and end to hash a password. Backups are due many times a second.
 */
const [, , folder = ''] = process.argv

if (cluster.isWorker && existsSync(join(folder, 'die'))) process.exit(7)

const threads = createPasswordThreads()
const note = (what: '+' | '-') => appendFileSync(join(folder, 'hashes'), `${what} ${process.pid}\n`)

const passwordThreads = {
  ...threads,
  async derive(...input: Parameters<typeof threads.derive>) {
    note('+')
    try {
      return await threads.derive(...input)
    } finally {
      note('-')
    }
  },
}

if (!superviseIfConfigured({ restartPace: { youngMs: HOUR, firstWaitMs: 100, longestWaitMs: 200 } }))
  await serve({ demo: true }, { passwordThreads, backupCheckMs: 50 })
