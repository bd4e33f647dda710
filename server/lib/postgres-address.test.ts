import { describe, expect, it } from 'vitest'
import { connectionsOfAll, connectionsOfEach, type PostgresAddress, readPostgresAddress } from './postgres-address.ts'

const PLAIN: PostgresAddress = {
  hosts: [{ host: 'db.example.com', port: 5432 }],
  user: 'portal',
  password: '',
  database: 'edge',
  tls: 'prefer',
  rootCertificates: undefined,
  pgbouncer: false,
  connectionLimit: 10,
  connectTimeoutMs: 5000,
  applicationName: 'portal',
}

describe('accepts', () => {
  it.each<[string, Partial<PostgresAddress>]>([
    ['postgres://portal@db.example.com/edge', {}],
    ['postgresql://portal@db.example.com:5433/edge', { hosts: [{ host: 'db.example.com', port: 5433 }] }],
    ['postgres://portal:s%40cret@db.example.com/edge', { password: 's@cret' }],
    ['postgres://portal:p@ss/w:rd%@db.example.com/edge', { password: 'p@ss/w:rd%' }],
    [
      'postgres://portal@one,two:5433,[::1]:5434/edge',
      {
        hosts: [
          { host: 'one', port: 5432 },
          { host: 'two', port: 5433 },
          { host: '::1', port: 5434 },
        ],
      },
    ],
    ['postgres://portal@/edge?host=/run/postgresql', { hosts: [{ host: '/run/postgresql', port: 5432 }] }],
    ['postgres://portal@db.example.com/my%20edge', { database: 'my edge' }],
    [
      'postgres://portal@db.example.com/edge?sslmode=verify-full&sslrootcert=/etc/ca.pem',
      { tls: 'verify-full', rootCertificates: '/etc/ca.pem' },
    ],
    [
      'postgres://portal@db.example.com/edge?pgbouncer=true&connection_limit=50',
      { pgbouncer: true, connectionLimit: 50 },
    ],
    [
      'postgres://portal@db.example.com/edge?connect_timeout=2&application_name=blue',
      { connectTimeoutMs: 2000, applicationName: 'blue' },
    ],
    ['postgres://portal@db.example.com/edge?target_session_attrs=read-write', {}],
  ])('%s', (text, expected) => {
    expect(readPostgresAddress(text)).toEqual({ ...PLAIN, ...expected })
  })
})

describe('refuses, with messages that repeat nothing secret', () => {
  it.each<[string, RegExp]>([
    ['mysql://portal:hunter2@db/edge', /^must be like postgres:/],
    ['postgres://db.example.com/edge', /^must be like/],
    ['postgres://portal:hunter2@db.example.com', /^must be like/],
    ['postgres://portal:hunter2@/edge', /^must be like/],
    ['postgres://portal:hunter2@db:0/edge', /^must be like/],
    ['postgres://portal:hunter2@db:99999/edge', /^must be like/],
    ['postgres://portal:hunter2@db,,other/edge', /^must be like/],
    ['postgres://portal:hunter2@db/edge?sslmod=require', /not known, sslmod: there are sslmode/],
    ['postgres://portal:hunter2@db/edge?sslmode=hunter2', /sslmode that is none of disable/],
    ['postgres://portal:hunter2@db/edge?target_session_attrs=any', /only the primary is used/],
    ['postgres://portal:hunter2@db/edge?pgbouncer=hunter2', /neither true nor false/],
    ['postgres://portal:hunter2@db/edge?connection_limit=0', /connection_limit that is no number/],
    ['postgres://portal:hunter2@db/edge?connect_timeout=hunter2', /connect_timeout that is no number/],
  ])('%s', (text, words) => {
    const answer = readPostgresAddress(text)
    expect(answer).toMatch(words)
    expect(answer).not.toContain('hunter2')
  })
})

it.each([
  { limit: 10, processes: 1, each: 10, all: 11 },
  { limit: 10, processes: 2, each: 5, all: 12 },
  { limit: 10, processes: 4, each: 2, all: 12 },
  { limit: 10, processes: 8, each: 2, all: 24 },
  { limit: 1, processes: 4, each: 1, all: 8 },
  { limit: 200, processes: 64, each: 3, all: 256 },
])(
  '$processes processes share a limit of $limit: $each for each, at least 2 unless it is 1',
  ({ limit, processes, each, all }) => {
    expect(connectionsOfEach(limit, processes)).toBe(each)
    expect(connectionsOfAll(limit, processes)).toBe(all)
  },
)
