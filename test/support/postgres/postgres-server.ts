import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort } from '../process/free-port.ts'
import { postgresBinaries } from './postgres-binaries.ts'
import { copyAsStandby } from './postgres-copy.ts'
import { newPlace, type Place } from './postgres-place.ts'
import { type Postmaster, runToEnd, startPostmaster } from './postgres-process.ts'
import { askOnce } from './postgres-sql.ts'

type Settings = Record<string, string>

export interface PostgresOptions {
  /** Nothing that was answered is lost by `kill`, and every commit has its time; else it is as fast as can be. */
  durable?: boolean
  /** On top of these, as in postgresql.conf. */
  settings?: Settings
  /** Files of a certificate and its key: then the server offers TLS. */
  tls?: { certificate: string; key: string }
  /** The folder of another PostgreSQL than npm's. */
  binaries?: string | undefined
  /** Otherwise one that nobody knows. */
  password?: string
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>

const ALWAYS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  wal_keep_size: '256MB', // for a standby that begins late
}
const DURABLE = { fsync: 'on', synchronous_commit: 'on', track_commit_timestamp: 'on' }
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  deadlock_timeout: '100ms',
}

/** Sorted by the rules of a language, as an operator's may be: a query that wants the order of bytes has to say so. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']

/** A real PostgreSQL of its own on a loopback port, taking connections; gone with this process at the latest. */
export async function startPostgres(options: PostgresOptions = {}) {
  const { durable = false, settings = {}, tls, binaries = postgresBinaries() } = options
  const { password = randomBytes(12).toString('hex') } = options
  const place = newPlace()
  const access = ['--username=postgres', `--pwfile=${place.write('password', password)}`, '--auth=scram-sha-256']
  // One round of hashing is enough for a password that lasts a test, and hundreds of connections are made with it.
  const quick = ['--no-sync', ...(options.binaries ? [] : ['--set=scram_iterations=1'])] // older ones do not know it
  await runToEnd(join(binaries, 'initdb'), [`--pgdata=${place.data}`, ...access, ...quick, ...LOCALE], place.folder)
  const certificate = tls && {
    ssl: 'on',
    ssl_cert_file: place.copy('server.crt', tls.certificate),
    ssl_key_file: place.copy('server.key', tls.key),
  }
  const all = { ...ALWAYS, ...(durable ? DURABLE : FAST), ...certificate, ...settings }
  return serverIn(place, { password, binaries, settings: all })
}

interface Server {
  password: string
  binaries: string
  settings: Settings
}

async function serverIn(place: Place, server: Server) {
  const { password, binaries, settings } = server
  let port = 0
  const url = (database = 'postgres') => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
  let postmaster: Postmaster | undefined

  async function start(): Promise<void> {
    const program = join(binaries, 'postgres')
    const flags = Object.entries({ ...settings, port: String(port) }).map(([name, value]) => `--${name}=${value}`)
    postmaster = await startPostmaster(program, ['-D', place.data, ...flags], place.folder, place.guard.watch)
  }

  /** PostgreSQL cannot choose its port; somebody else may take the one that was free. */
  async function startAtFreePort(): Promise<void> {
    port = await freePort()
    await start().catch((error: Error) => {
      if (!error.message.includes('Address already in use')) throw error
      return startAtFreePort()
    })
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    await postmaster?.end(signal)
    postmaster = undefined
  }

  /** A server that follows this one, some way behind; `promote` makes it one of its own. */
  async function makeStandby(more: Settings = {}) {
    const copy = newPlace()
    await ask((sql) => copyAsStandby(sql, place.data, copy.data))
    const primary = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`
    return serverIn(copy, { ...server, settings: { ...settings, primary_conninfo: primary, ...more } })
  }

  await startAtFreePort()
  const ask = askOnce(url())
  return {
    port,
    folder: place.folder,
    url,
    /** The process id of the postmaster; undefined while it is stopped. */
    pid: () => postmaster?.pid,
    /** The last lines of its log. */
    log: () => postmaster?.message() ?? '',
    /** After `stop` or `kill`: on the same data and port. */
    start,
    /** `fast` rolls back what is under way, `immediate` ends as by a power cut; back when its last process is gone. */
    stop: (mode: 'fast' | 'immediate' = 'fast') => end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    /** kill -9 of the postmaster; back when the last of its processes has noticed and is gone. */
    kill: () => end('SIGKILL'),
    createDatabase: (name: string, { template = 'template1' } = {}) =>
      ask((sql) => sql`create database ${sql(name)} template ${sql(template)}`).then(() => url(name)),
    makeStandby,
    promote: () => ask((sql) => sql`select pg_promote()`).then(() => undefined),
    /** Stops it and removes its folder. */
    close: async () => {
      await end('SIGQUIT')
      await place.guard.close()
    },
  }
}
