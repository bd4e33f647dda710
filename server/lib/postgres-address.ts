const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
const PARAMETERS = ['sslmode', 'sslrootcert', 'host', 'pgbouncer', 'connection_limit', 'connect_timeout'] as const
const OTHERS = ['application_name', 'target_session_attrs'] as const

type Parameter = (typeof PARAMETERS | typeof OTHERS)[number]

/** A host and a port; a host that begins with a slash is the folder of a Unix socket. */
export interface PostgresHost {
  host: string
  port: number
}

/** A parsed address such as `postgres://user:password@one,two:5433/portal?sslmode=verify-full`. */
export interface PostgresAddress {
  hosts: PostgresHost[]
  user: string
  password: string
  database: string
  tls: (typeof TLS_MODES)[number]
  /** A file with certificates to trust in place of the system's. */
  rootCertificates: string | undefined
  /** Behind a pooler that switches connections between transactions: no prepared statements, no session settings. */
  pgbouncer: boolean
  /** For reads and writes, of all workers together. */
  connectionLimit: number
  connectTimeoutMs: number
  applicationName: string
}

/** Reads and writes have one of these; a heavy read leaves another one free. */
const FEWEST_OF_PROCESS = 2
/** For lookups. */
const OTHER_CONNECTIONS = 1

/** What each of several processes may open for reads and writes, so that all of them share one limit. */
export const connectionsOfEach = (limit: number, processes: number): number =>
  Math.min(limit, Math.max(FEWEST_OF_PROCESS, Math.floor(limit / processes)))

/** What all of them may open, for whatever. */
export const connectionsOfAll = (limit: number, processes: number): number =>
  processes * (connectionsOfEach(limit, processes) + OTHER_CONNECTIONS)

/** Parses an address, or returns what is wrong with it; the message repeats nothing but the name of a parameter. */
export function readPostgresAddress(text: string): PostgresAddress | string {
  const [, rest = ''] = /^postgres(?:ql)?:\/\/(.*)$/s.exec(text) ?? []
  const [target = '', query = ''] = splitAt(rest, rest.indexOf('?', rest.lastIndexOf('@') + 1))
  const [login, where] = splitAt(target, target.lastIndexOf('@'))
  const [names, path] = splitAt(where ?? login, (where ?? login).indexOf('/'))
  const [user, password = ''] = where === undefined ? [''] : splitAt(login, login.indexOf(':'))
  const given = new Map(new URLSearchParams(query)) as Map<Parameter, string> // checked below
  const unknown = [...given.keys()].find((name) => ![...PARAMETERS, ...OTHERS].includes(name))
  if (unknown !== undefined) return `has a parameter that is not known, ${unknown}: there are ${PARAMETERS.join(', ')}`
  const hosts = readHosts(given.get('host') ?? decode(names))
  const database = decode(path ?? '')
  if (!hosts || !user || !database) return 'must be like postgres://user:password@host:5432/database'
  return readParameters(given, { hosts, user: decode(user), password: decode(password), database })
}

type Target = Pick<PostgresAddress, 'hosts' | 'user' | 'password' | 'database'>

function readParameters(given: Map<Parameter, string>, target: Target): PostgresAddress | string {
  const tls = TLS_MODES.find((mode) => mode === (given.get('sslmode') ?? 'prefer'))
  if (!tls) return `has a parameter sslmode that is none of ${TLS_MODES.join(', ')}`
  if (!['read-write', 'primary'].includes(given.get('target_session_attrs') ?? 'read-write')) {
    return 'has a parameter target_session_attrs other than read-write: only the primary is used'
  }
  const pgbouncer = given.get('pgbouncer') ?? 'false'
  if (!['true', 'false'].includes(pgbouncer)) return 'has a parameter pgbouncer that is neither true nor false'
  const connectionLimit = wholeNumber(given.get('connection_limit') ?? '10', 1000)
  if (!connectionLimit) return 'has a parameter connection_limit that is no number from 1 to 1000'
  const connectTimeout = wholeNumber(given.get('connect_timeout') ?? '5', 60)
  if (!connectTimeout) return 'has a parameter connect_timeout that is no number of seconds from 1 to 60'
  return {
    ...target,
    tls,
    rootCertificates: given.get('sslrootcert'),
    pgbouncer: pgbouncer === 'true',
    connectionLimit,
    connectTimeoutMs: connectTimeout * 1000,
    applicationName: given.get('application_name') ?? 'portal',
  }
}

function readHosts(text: string): PostgresHost[] | undefined {
  const hosts = text.split(',').map((part) => {
    if (part.startsWith('/')) return { host: part, port: 5432 }
    const [, inBrackets, plain, port = '5432'] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(part) ?? []
    return { host: inBrackets ?? plain ?? '', port: wholeNumber(port, 65_535) ?? 0 }
  })
  return hosts.every(({ host, port }) => host !== '' && port > 0) ? hosts : undefined
}

function splitAt(text: string, index: number): [string, string?] {
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)]
}

/** Text that is not valid percent encoding is used as it is: a password may contain a percent sign. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function wholeNumber(text: string, most: number): number | undefined {
  const number = Number(text)
  return /^\d+$/.test(text) && number >= 1 && number <= most ? number : undefined
}
