// A portal with a fault in it, put together as server/main.ts does it: what the checker has to find.
import { createApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { listen } from '../../server/http/listen.ts'
import { openWithLedger } from '../../server/ledger/open-ledger.ts'
import { createLog } from '../../server/lib/log.ts'
import { JUDGED_BEFORE_BODY, PLANTED_FAULTS, type PlantedFault, tellRequestsApart } from './planted-faults.ts'
import { PLANTED_LEDGERS } from './planted-ledger.ts'

const WATCH_MS = 200

const [fault = 'nothing', standbyUrl = ''] = process.argv.slice(2)
const startedBy = process.ppid
setInterval(() => {
  if (process.ppid !== startedBy) process.exit()
}, WATCH_MS).unref()

const config = readConfig()
const log = createLog(config.logLevel, process.stderr)
const inLedger = PLANTED_LEDGERS[fault]
const { open = openWithLedger, plant: plantLedger } = inLedger ?? {}
const onLost = ({ message }: Error) => {
  log.fatal(message)
  process.exit(1)
}
const opened = inLedger ? await open(config, { log, onLost }) : undefined
const database = opened?.database ?? (await openDatabase(config))
const planted = opened
  ? (plantLedger?.(database, opened.ledger) ?? database)
  : await PLANTED_FAULTS[fault as PlantedFault](database, process.env['DATABASE_URL'] ?? '', standbyUrl) // given by the run that plants it
const app = await createApp({ config, database: planted, log, now: database.now, webDir: undefined })
if (fault === JUDGED_BEFORE_BODY) tellRequestsApart(app.server)
process.stdout.write(`Edge Management Portal is at ${await listen(app, config)}\n`)
