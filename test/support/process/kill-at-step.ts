// Loaded into a portal before its own code: kills it with SIGKILL before the n-th step of a request with an Idempotency-Key.
// A step is a statement of SQLite, in the database or the ledger, or what is sent to PostgreSQL.
import { Socket } from 'node:net'
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite'

const KILL_AT = Number(process.env['KILL_AT'])
const { DATABASE_URL } = process.env
const POSTGRES_PORT = DATABASE_URL === undefined ? Number.NaN : Number(new URL(DATABASE_URL).port)
/** Such a request begins by looking for its record; on PostgreSQL that statement is prepared, and is not in what is sent. */
const FIRST = Number.isNaN(POSTGRES_PORT) ? '"valueHash" = ' : 'begin; set local'

let isArmed = false
let steps = 0

process.on('SIGUSR2', () => {
  isArmed = true
  process.stderr.write('armed\n')
})

function step(statement: string): void {
  if (!isArmed || (steps === 0 && !statement.includes(FIRST))) return
  steps++
  if (steps === KILL_AT) process.kill(process.pid, 'SIGKILL')
}

for (const name of ['all', 'get', 'run'] as const) {
  const ask: (...parameters: SQLInputValue[]) => unknown = StatementSync.prototype[name]
  replace(StatementSync.prototype, name, function (this: StatementSync, ...parameters: SQLInputValue[]) {
    step(this.sourceSQL)
    return ask.apply(this, parameters)
  })
}

const { exec } = DatabaseSync.prototype
replace(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
  step(sql)
  return exec.call(this, sql)
})

const { write } = Socket.prototype
replace(Socket.prototype, 'write', function (this: Socket, ...sent: Parameters<Socket['write']>) {
  if (this.remotePort === POSTGRES_PORT) step(String(sent[0]))
  return write.apply(this, sent)
})

function replace(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, writable: true, configurable: true })
}
