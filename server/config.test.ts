import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Config, originOf, readConfig, VARIABLES } from './config.ts'
import { OperatorError } from './lib/app-error.ts'

const problemOf = (...given: Parameters<typeof readConfig>): string => {
  try {
    readConfig(...given)
    return ''
  } catch (error) {
    if (error instanceof OperatorError) return error.message
    throw error
  }
}

it('has a default for every variable, and an empty variable counts as unset', () => {
  const defaults: Config = {
    port: 4000,
    host: '127.0.0.1',
    baseUrl: undefined,
    dataDir: resolve('data'),
    ledger: undefined,
    postgres: undefined,
    portalSecret: undefined,
    signUp: true,
    rateLimit: 100,
    valkeyUrl: undefined,
    smtp: undefined,
    trustProxy: false,
    corsOrigins: undefined,
    logLevel: 'info',
    metricsToken: undefined,
    leakKeys: undefined,
    drainSeconds: 0,
    workers: 1,
    webhookNetworks: [],
    retention: { auditDays: 365, emailDays: 90, usageDays: 90, sessionDays: 30, invitationDays: 30 },
    backups: undefined,
    firstAdmin: undefined,
  }
  expect(readConfig({})).toEqual(defaults)
  expect(readConfig(Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, ' '])))).toEqual(defaults)
  expect(readConfig(VARIABLES)).toEqual(defaults)
})

const { retention: RETENTION } = readConfig({})

describe('accepts', () => {
  it.each<[string, string, Partial<Config>]>([
    ['PORT', '0', { port: 0 }],
    ['PORT', ' 65535\n', { port: 65_535 }],
    ['BASE_URL', 'https://portal.example.com', { baseUrl: new URL('https://portal.example.com') }],
    ['BASE_URL', 'http://10.0.0.5:4000/', { baseUrl: new URL('http://10.0.0.5:4000') }],
    ['DATA_DIR', '/srv/portal/', { dataDir: '/srv/portal' }],
    ['SIGN_UP', 'off', { signUp: false }],
    ['RATE_LIMIT', '1', { rateLimit: 1 }],
    ['RATE_LIMIT', 'off', { rateLimit: undefined }],
    ['VALKEY_URL', 'redis://localhost', { valkeyUrl: new URL('redis://localhost') }],
    ['VALKEY_URL', 'valkeys://me:a%2Fb@[::1]:6380/3', { valkeyUrl: new URL('valkeys://me:a%2Fb@[::1]:6380/3') }],
    ['TRUST_PROXY', 'on', { trustProxy: true }],
    [
      'TRUST_PROXY',
      '10.0.0.1, 10.1.0.0/16,::1,fd00::/8',
      { trustProxy: ['10.0.0.1', '10.1.0.0/16', '::1', 'fd00::/8'] },
    ],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['METRICS_TOKEN', ` ${'x'.repeat(32)}\n`, { metricsToken: 'x'.repeat(32) }],
    ['CORS_ORIGINS', '*', { corsOrigins: '*' }],
    [
      'CORS_ORIGINS',
      'https://App.example.com:443, http://localhost:5173/',
      { corsOrigins: new Set(['https://app.example.com', 'http://localhost:5173']) },
    ],
    ['LEAK_KEYS', 'https://keys.example.com/a?b', { leakKeys: { address: new URL('https://keys.example.com/a?b') } }],
    ['LEAK_KEYS', 'http://127.0.0.1:81/x', { leakKeys: { address: new URL('http://127.0.0.1:81/x') } }],
    ['LEAK_KEYS', 'http://[::1]/x', { leakKeys: { address: new URL('http://[::1]/x') } }],
    ['DRAIN_SECONDS', '300', { drainSeconds: 300 }],
    ['WORKERS', '64', { workers: 64 }],
    ['WORKERS', 'auto', { workers: Math.min(availableParallelism(), 64) }],
    ['WEBHOOK_NETWORKS', '10.20.0.0/16, fd12::/32,::1', { webhookNetworks: ['10.20.0.0/16', 'fd12::/32', '::1/128'] }],
    ['BACKUP_DIR', '/srv/backups/', { backups: { dir: '/srv/backups', everyMs: 86_400_000, keep: 7 } }],
    ['PORTAL_SECRET', 'x'.repeat(32), { portalSecret: 'x'.repeat(32) }],
    ['RETAIN_AUDIT_DAYS', '1', { retention: { ...RETENTION, auditDays: 1 } }],
    ['RETAIN_EMAIL_DAYS', '36500', { retention: { ...RETENTION, emailDays: 36_500 } }],
    ['RETAIN_USAGE_DAYS', 'forever', { retention: { ...RETENTION, usageDays: Number.POSITIVE_INFINITY } }],
    ['RETAIN_SESSION_DAYS', '0', { retention: { ...RETENTION, sessionDays: Number.POSITIVE_INFINITY } }],
    ['RETAIN_INVITATION_DAYS', '7', { retention: { ...RETENTION, invitationDays: 7 } }],
  ])('%s=%j', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toEqual({ ...readConfig({}), ...expected })
  })
})

describe('refuses, with the name of the variable and not its value', () => {
  it.each([
    ['PORT', ['abc', '-1', '65536', '80.5', '0x50', '1e3']],
    [
      'BASE_URL',
      ['ftp://x', 'portal.example.org', 'https://x/portal', 'https://x?a=b', 'https://x/#a', 'https://u:p@x'],
    ],
    ['WEBHOOK_NETWORKS', ['everything', '10.0.0.1/8', 'hooks.example', '10.0.0.0/33', '10.0.0.0/8 fd00::/8']],
    ['SIGN_UP', ['maybe', 'true', 'ON']],
    ['WORKERS', ['0', '65', 'all', '1.5', '-2']],
    ['RATE_LIMIT', ['-1', '0', 'none', '1.5', '1000001']],
    ['TRUST_PROXY', ['banana', 'face', '1', '999.1.1.1', '10.0.0.1/33', '10.0.0.1/0', '::1/129', '10.9.9.9,', 'a/b/c']],
    ['LOG_LEVEL', ['loud', 'INFO']],
    [
      'LEAK_KEYS',
      [
        'http://keys.example.com/',
        'http://127.0.0.1.example.com/',
        'http://10.0.0.1/',
        'ftp://keys.example.com',
        'file:///etc/keys',
        'https://u:p@keys.example.com',
        'https://keys.example.com/#x',
        'https://%',
        '/no/such/file',
        'package.json',
        'server',
      ],
    ],
    [
      'CORS_ORIGINS',
      [
        'on',
        'null',
        'shop.example.org',
        '*, https://app.example.com',
        'https://*.example.com',
        'https://app.example.com/path',
        'https://u:p@app.example.com',
        'https://shop.example.org,',
        'file:///home',
        Array.from({ length: 101 }, (_, i) => `https://${i}.example.com`).join(),
      ],
    ],
    ['RETAIN_AUDIT_DAYS', ['-1', '1.5', 'never', '36501', '1e3', '30d']],
    ['PORTAL_SECRET', ['x'.repeat(31)]],
    ['BACKUP_EVERY', ['0', '59s', '366d', 'daily', '1.5h', '24', '-1h']],
    ['BACKUP_KEEP', ['0', '-1', 'all', '1.5', '10001']],
    ['BACKUP_PASSPHRASE', ['too short']],
    ['DATABASE_URL', ['mysql://portal@localhost/portal', 'postgres://localhost/portal', 'postgres://a:b@c/d?sslmod=x']],
    [
      'SMTP_URL',
      [
        'localhost:25',
        'http://mail.example.com?from=a@example.com',
        'smtp://?from=a@example.com',
        'smtp://localhost/inbox?from=a@example.com',
        'smtp://localhost?from=nobody',
        'smtp://localhost?from=',
        'smtp://localhost?from=a@example.com&from=b@example.com',
        'smtp://localhost?from=a@example.com&tls=off',
        'smtp://localhost?from=a@example.com#x',
        'smtp://u:%ff@localhost?from=a@example.com',
        'smtp://localhost:99999?from=a@example.com',
      ],
    ],
    [
      'VALKEY_URL',
      [
        'localhost:6379',
        'http://localhost:6379',
        'redis://',
        'redis:///0',
        'redis://localhost/portal',
        'redis://localhost/0?tls=on',
        'redis://:a/b@localhost',
        'redis://:%ff@localhost',
        'redis://localhost:99999',
        'unix:///run/valkey.sock',
      ],
    ],
  ])('%s', (name, values) => {
    for (const value of values) {
      const needed = { PORTAL_SECRET: 'x'.repeat(32), BASE_URL: 'https://portal.example.com' }
      const problem = problemOf({ ...needed, [name]: value })
      expect(problem, value).toMatch(new RegExp(`^Cannot start: ${name} [^;]*\\.$`))
      if (value.length > 4) expect(problem).not.toContain(value)
    }
  })
})

it('requires a secret that all replicas share, if they share a database', () => {
  const env = { DATABASE_URL: 'postgres://portal:pw@db/portal' }
  expect(problemOf(env)).toBe(
    'Cannot start: PORTAL_SECRET must have 32 characters or more, the same for all that use this DATABASE_URL.',
  )
  expect(readConfig({ ...env, PORTAL_SECRET: 'x'.repeat(32) }).postgres).toMatchObject({
    user: 'portal',
    password: 'pw',
  })
})

it('reports all problems at once, in one sentence', () => {
  const problem = problemOf({
    PORT: 'abc',
    SIGN_UP: 'maybe',
    ADMIN_EMAIL: 'a@b.example',
    SMTP_URL: 'smtp://x?sender=a@b.example',
  })
  expect(problem).toBe(
    'Cannot start: PORT must be a whole number from 0 to 65535, such as 4000; SIGN_UP must be "on" or "off"; ' +
      'SMTP_URL has a parameter that is not known, sender: there is from; ' +
      'ADMIN_EMAIL, ADMIN_PASSWORD and ORGANIZATION go together, set all three or none.',
  )
})

describe('the mail server', () => {
  const smtpOf = (url: string) => readConfig({ SMTP_URL: url, BASE_URL: 'https://portal.example.com' }).smtp

  it('has a complete address, with the default port of its protocol', () => {
    expect(smtpOf('smtp://portal:a%2Fb%40c@mail.example.com?from=Portal@Example.com')).toEqual({
      host: 'mail.example.com',
      port: 587,
      secure: false,
      login: { user: 'portal', password: 'a/b@c' },
      from: 'portal@example.com',
    })
    expect(smtpOf('smtps://[::1]/?from=a@example.com')).toEqual({
      host: '::1',
      port: 465,
      secure: true,
      login: undefined,
      from: 'a@example.com',
    })
    expect(smtpOf('smtp://localhost:1025?from=a@example.com')).toMatchObject({ port: 1025 })
  })

  it('uses the address of the portal as sender, unless from is given', () => {
    expect(smtpOf('smtp://localhost')).toMatchObject({ from: 'portal@portal.example.com' })
    for (const BASE_URL of ['', 'http://10.0.0.7:4000', 'http://[::1]:4000']) {
      expect(readConfig({ SMTP_URL: 'smtp://localhost', BASE_URL }).smtp).toMatchObject({ from: 'portal@localhost' })
    }
  })

  it('refuses an invalid sender, or two of them', () => {
    expect(problemOf({ SMTP_URL: 'smtp://localhost?from=portal' })).toBe(
      'Cannot start: SMTP_URL has a parameter from that is not an email address such as portal@example.com.',
    )
    expect(problemOf({ SMTP_URL: 'smtp://localhost?from=a@example.com&from=b@example.com' })).toBe(
      'Cannot start: SMTP_URL has the parameter from twice.',
    )
  })
})

it.each([
  [{}, 'http://127.0.0.1:4000'],
  [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://localhost:8080'],
  [{ HOST: '::' }, 'http://localhost:4000'],
  [{ HOST: '::1' }, 'http://[::1]:4000'],
  [{ HOST: '0.0.0.0', BASE_URL: 'https://portal.example.com/' }, 'https://portal.example.com'],
])('with %o links begin with %s', (env, origin) => {
  expect(originOf(readConfig(env))).toBe(origin)
})

describe('the first Admin', () => {
  const whole = { ADMIN_EMAIL: ' ada@example.com ', ADMIN_PASSWORD: ' with blanks around it ', ORGANIZATION: ' Acme ' }
  const admin = { email: 'ada@example.com', password: ' with blanks around it ', organization: 'Acme' }

  it('keeps blanks in a password, and removes a line break at its end', () => {
    expect(readConfig(whole).firstAdmin).toEqual(admin)
    expect(readConfig({ ...whole, ADMIN_PASSWORD: `${admin.password}\r\n` }).firstAdmin).toEqual(admin)
  })

  it.each(Object.keys(whole))('is refused without %s', (name) => {
    expect(problemOf({ ...whole, [name]: '' }, () => ['not asked'])).toMatch(/go together, set all three or none\.$/)
  })

  it('is refused together with all other problems', () => {
    const problem = problemOf({ ...whole, PORT: 'abc' }, (given) => {
      expect(given).toEqual(admin)
      return ['ADMIN_EMAIL: one', 'ADMIN_PASSWORD: two']
    })
    expect(problem).toMatch(/^Cannot start: PORT .*; ADMIN_EMAIL: one; ADMIN_PASSWORD: two\.$/)
  })
})
