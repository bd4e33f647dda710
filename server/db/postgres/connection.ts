import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import { SECOND } from '../../lib/clock.ts'
import type { PostgresAddress, PostgresHost } from '../../lib/postgres-address.ts'
import { within } from '../../lib/within.ts'
import { isFromServer, timedOut } from './errors.ts'
import { dial } from './socket.ts'
import type { PostgresTimeouts } from './timeouts.ts'

const BYTES_ARRAY = 1001
const TEXT_ARRAY = 1009
const INT8 = 20
const BYTES = 17
const TERMINATE = Buffer.from([88, 0, 0, 0, 4]) // the message X, Terminate
const NUL = '\u0000'
const REPLACEMENT_FOR_NUL = '\ufffe'

type Row = Record<string, unknown>

interface Answer {
  rows: Row[]
  count: number
  /** The server's command tag: a COMMIT can turn out to be a ROLLBACK. */
  command: string
}

interface QueryOptions {
  answerWithinMs?: number
  /** Set where the driver must not repeat the statement: outside of its transaction, or between those of others. */
  onlyOnce?: boolean
}

/** One connection to one server. It is never reopened, so no part of a transaction can end up on another connection. */
export interface PostgresConnection {
  readonly isOpen: boolean
  readonly openedAt: number
  readonly timeouts: PostgresTimeouts
  /** Which server it is, with its timeline (primary.ts); empty where it cannot be asked. */
  server: string
  /** Closes the connection when there is no answer in time. The next statement may be sent before the answer: they run in order. */
  query(text: string, parameters?: readonly unknown[], options?: QueryOptions): Promise<Answer>
  /** Sends rows, as COPY text, with a statement that copies from stdin. */
  copyIn(text: string, rows: AsyncIterable<Buffer>): Promise<void>
  /** The rows, as COPY text, of a statement that copies to stdout: no faster than they are taken. */
  copyOut(text: string): AsyncIterable<Buffer>
  /** Terminates the connection: statements in progress fail, and uncommitted work is rolled back. */
  close(): void
}

export const bytesArray = (values: Uint8Array[]) => new ArrayParameter(values, BYTES_ARRAY)
export const textArray = (values: string[]) => new ArrayParameter(values, TEXT_ARRAY)

class ArrayParameter {
  readonly values: unknown[]
  readonly type: number
  constructor(values: unknown[], type: number) {
    this.values = values
    this.type = type
  }
}

/** Connects to one host and signs in, without running a statement. */
export async function connectTo(
  address: PostgresAddress,
  host: PostgresHost,
  timeouts: PostgresTimeouts,
): Promise<PostgresConnection> {
  const socket = await dial(address, host)
  const sql = postgres(optionsOf(address, timeouts, usedOnce(socket)))
  // The driver repeats a statement that the server no longer has prepared; statements sent after it have already run by
  // then.
  const onlyOnceOrClose = { set: () => socket.destroy() }
  let isOpen = !socket.destroyed
  socket.once('close', () => {
    isOpen = false
  })
  return {
    get isOpen() {
      return isOpen && !socket.destroyed
    },
    openedAt: performance.now(),
    timeouts,
    server: '',
    async query(text, parameters = [], { answerWithinMs = timeouts.answerMs, onlyOnce = false } = {}) {
      if (!isOpen || socket.destroyed) throw connectionLost()
      const values = parameters.map((value) => toSend(sql, value))
      const options = { prepare: !address.pgbouncer, simple: values.length === 0 }
      const question = sql.unsafe<Row[]>(text, values, options)
      if (onlyOnce) Object.defineProperty(question, 'retried', onlyOnceOrClose)
      const result = await within(answerWithinMs, question.execute(), timedOut).catch((error) => {
        if (!isFromServer(error)) socket.destroy() // late, or refused by the driver, which then loses the next statement
        throw error
      })
      return { rows: result, count: result.count ?? 0, command: result.command }
    },
    copyIn: (text, rows) => copyIn(sql.unsafe(text), rows),
    async *copyOut(text) {
      yield* await sql.unsafe(text).readable()
      socket.resume() // the driver may have paused it for the last rows
    },
    close() {
      isOpen = false
      if (socket.writable) socket.write(TERMINATE)
      socket.destroySoon()
    },
  }
}

/** The driver resolves its query with the stream, and then forgets to say that the server refused the last of the rows. */
async function copyIn(query: postgres.PendingQuery<Row[]>, rows: AsyncIterable<Buffer>): Promise<void> {
  const refused = Promise.withResolvers<never>()
  const stream = await query.writable()
  Object.defineProperty(query, 'reject', { value: refused.reject })
  const copied = pipeline(rows, stream)
  copied.catch(() => {}) // if the other fails first
  await Promise.race([copied, refused.promise])
}

const connectionLost = () =>
  Object.assign(new Error('The connection to PostgreSQL is closed.'), { code: 'CONNECTION_CLOSED' })

function usedOnce(socket: Socket): () => Socket {
  let taken = false
  return () => {
    if (taken) throw connectionLost()
    taken = true
    return socket
  }
}

/** PostgreSQL stores no text with a NUL, so none can be found; sending one would be an error. */
function toSend(sql: postgres.Sql, value: unknown): postgres.ParameterOrJSON<never> {
  if (value instanceof ArrayParameter) return sql.typed(value.values.map(withoutNul), value.type) as never
  return withoutNul(value) as never // Kysely's parameters have the types of our tables: text, numbers, bytes, null
}

const withoutNul = (value: unknown) =>
  typeof value === 'string' && value.includes(NUL) ? value.replaceAll(NUL, REPLACEMENT_FOR_NUL) : value

/** Sets every option, so that no PG… environment variable applies. */
function optionsOf(address: PostgresAddress, timeouts: PostgresTimeouts, socket: () => Socket) {
  const { user, password: pass, database, applicationName, pgbouncer } = address
  return {
    host: 'a socket of our own',
    port: 5432,
    socket,
    user,
    pass,
    database,
    max: 1,
    ssl: false as const, // the socket is encrypted already
    sslnegotiation: null,
    idle_timeout: 0,
    connect_timeout: address.connectTimeoutMs / SECOND,
    max_lifetime: null,
    max_pipeline: 200, // so that a batch of last-used times is sent at once
    backoff: false,
    keep_alive: 0,
    prepare: true,
    debug: false,
    fetch_types: false,
    publications: 'none',
    target_session_attrs: 'primary' as const,
    no_subscribe: true,
    onnotice: () => {},
    types: TYPES,
    connection: {
      application_name: applicationName,
      ...(!pgbouncer && { statement_timeout: timeouts.statementMs }),
      ...(!pgbouncer && { idle_in_transaction_session_timeout: timeouts.idleInTransactionMs }),
      ...(!pgbouncer && { max_parallel_workers_per_gather: '0' }), // one read must not take all cores: see heavy-reads.ts
    },
  }
}

const toHex = (bytes: Uint8Array) =>
  `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`

const TYPES = {
  integer: { to: INT8, from: [INT8], serialize: String, parse: Number },
  bytes: {
    to: BYTES,
    from: [BYTES],
    serialize: (value: unknown) => (value instanceof Uint8Array ? toHex(value) : String(value)), // never fails
    parse: (text: string) => Buffer.from(text.slice(2), 'hex'),
  },
  bytesArray: {
    to: BYTES_ARRAY,
    from: [],
    serialize: (values: Uint8Array[]) => `{${values.map((bytes) => `"\\${toHex(bytes)}"`)}}`,
    parse: String,
  },
  textArray: {
    to: TEXT_ARRAY,
    from: [],
    serialize: (values: string[]) => `{${values.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`)}}`,
    parse: String,
  },
}
