import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseCorsOrigins } from './config/cors-origins.ts'
import { readLeakKeys } from './config/leak-keys.ts'
import { parseRetentionDays } from './config/retention-period.ts'
import { readSecretVariables } from './config/secret-variables.ts'
import { readSmtpAddress } from './config/smtp-address.ts'
import { OperatorError } from './lib/app-error.ts'
import { DAY, MINUTE } from './lib/clock.ts'
import { durationOf } from './lib/duration.ts'
import { withoutRootDot } from './lib/host.ts'
import { checkNetworks } from './lib/network.ts'
import { readPostgresAddress } from './lib/postgres-address.ts'
import { parseValkeyUrl } from './lib/valkey-address.ts'

/** The Admin to create on the first start with an empty database. */
export interface FirstAdmin {
  email: string
  password: string
  organization: string
}

type Env = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const ALL_OR_NONE = 'ADMIN_EMAIL, ADMIN_PASSWORD and ORGANIZATION go together, set all three or none'

/** Every variable with its default, for the documents and their test. */
export const VARIABLES = {
  PORT: '4000',
  HOST: '127.0.0.1',
  BASE_URL: '',
  DATABASE_URL: '',
  DATA_DIR: './data',
  LEDGER: '',
  PORTAL_SECRET: '',
  ADMIN_EMAIL: '',
  ADMIN_PASSWORD: '',
  ORGANIZATION: '',
  SIGN_UP: 'on',
  RATE_LIMIT: '100',
  VALKEY_URL: '',
  SMTP_URL: '',
  TRUST_PROXY: 'off',
  CORS_ORIGINS: '',
  LOG_LEVEL: 'info',
  METRICS_TOKEN: '',
  LEAK_KEYS: '',
  DRAIN_SECONDS: '0',
  WORKERS: '1',
  WEBHOOK_NETWORKS: '',
  RETAIN_AUDIT_DAYS: '365',
  RETAIN_EMAIL_DAYS: '90',
  RETAIN_USAGE_DAYS: '90',
  RETAIN_SESSION_DAYS: '30',
  RETAIN_INVITATION_DAYS: '30',
  BACKUP_DIR: '',
  BACKUP_EVERY: '24h',
  BACKUP_KEEP: '7',
  BACKUP_PASSPHRASE: '',
} as const

type Variable = keyof typeof VARIABLES

/** Reports all problems in one sentence that repeats no value. `checkAdmin` has the rules for the first Admin, which are in a higher layer. */
export function readConfig(given: Env = process.env, checkAdmin: (admin: FirstAdmin) => string[] = () => []): Config {
  const { env, problems } = readSecretVariables(given)
  const config = settingsIn(env, problems)
  const { firstAdmin, portalSecret } = config
  if (firstAdmin) problems.push(...(isComplete(firstAdmin) ? checkAdmin(firstAdmin) : [ALL_OR_NONE]))
  const shared = Boolean(env['DATABASE_URL']?.trim())
  if (portalSecret ? portalSecret.length < 32 : shared) problems.push(portalSecretRule(shared))
  if (problems.length > 0) throw new OperatorError(`Cannot start: ${problems.join('; ')}.`)
  return config
}

/** Everything that the environment sets. */
export type Config = ReturnType<typeof settingsIn>

/** What is wrong is added to the problems. */
function settingsIn(env: Env, problems: string[]) {
  const value = (name: Variable) => env[name]?.trim() || VARIABLES[name]
  const read = <Value>(name: Variable, parse: (text: string) => Value | undefined, wants: string) => {
    const parsed = parse(value(name))
    if (parsed === undefined) problems.push(`${name} must be ${wants}`)
    return parsed as Value // undefined only with a problem on the list, and then nothing is returned
  }
  const readIfSet = <Value>(name: Variable, parse: (text: string) => Value | undefined, wants: string) =>
    value(name) ? read(name, parse, wants) : undefined
  const readAddress = <Address>(name: Variable, parse: (text: string) => Address | string) => {
    const address = value(name) ? parse(value(name)) : undefined
    if (typeof address === 'string') problems.push(`${name} ${address}`)
    return typeof address === 'string' ? undefined : address
  }
  const readDays = (name: Variable) =>
    read(name, parseRetentionDays, 'a whole number of days, such as 365, or "forever"')
  const everyMs = read('BACKUP_EVERY', lengthOf(MINUTE, 365 * DAY), 'a length from 1m to 365d, such as 24h')
  const keep = read('BACKUP_KEEP', wholeNumber(1, 10_000), 'a whole number from 1 to 10000, such as 7')
  readIfSet('BACKUP_PASSPHRASE', passphrase, `${SHORTEST_PASSPHRASE} characters or more`)
  return {
    port: read('PORT', wholeNumber(0, 65_535), 'a whole number from 0 to 65535, such as 4000'),
    host: value('HOST'),
    /** The public URL of the portal; undefined: the address that it listens on. */
    baseUrl: readIfSet(
      'BASE_URL',
      httpUrl,
      'the address of the portal without a path, such as https://portal.example.com',
    ),
    dataDir: resolve(value('DATA_DIR')),
    /** The path of the ledger; undefined: `revoked.db` in `dataDir`. */
    ledger: value('LEDGER') ? resolve(value('LEDGER')) : undefined,
    /** The address of PostgreSQL; undefined: SQLite in `dataDir`. */
    postgres: readAddress('DATABASE_URL', readPostgresAddress),
    /** Encrypts what has to be decrypted later; undefined: a secret that is created once in `dataDir` (mail/secret-file.ts). */
    portalSecret: value('PORTAL_SECRET') || undefined,
    signUp: read('SIGN_UP', onOff, '"on" or "off"'),
    /** Requests a second for one caller; undefined: no limit. */
    rateLimit:
      value('RATE_LIMIT') === 'off'
        ? undefined
        : read('RATE_LIMIT', wholeNumber(1, 1_000_000), 'a whole number of requests a second, such as 100, or "off"'),
    /** Shared by replicas for their limits; undefined: each process has its own limits. */
    valkeyUrl: readIfSet(
      'VALKEY_URL',
      parseValkeyUrl,
      'the address of a Valkey or Redis server, such as valkey://:password@10.0.0.7:6379/0',
    ),
    /** The mail server; undefined: emails are stored and shown in the portal. */
    smtp: readAddress('SMTP_URL', (text) => readSmtpAddress(text, mailHost(httpUrl(value('BASE_URL'))))),
    trustProxy: read(
      'TRUST_PROXY',
      proxies,
      '"on", "off" or the addresses of the proxies, such as 10.0.0.1,10.1.0.0/16',
    ),
    /** The origins of pages that may call the API; undefined: only the portal's own. */
    corsOrigins: readIfSet(
      'CORS_ORIGINS',
      parseCorsOrigins,
      '"*", or up to 100 origins without a path, such as https://app.example.com,http://localhost:5173',
    ),
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS), `one of ${LOG_LEVELS.join(', ')}`),
    /** Required to read metrics; undefined: only this machine may read them. */
    metricsToken: readIfSet(
      'METRICS_TOKEN',
      bearerToken,
      '32 characters or more without blanks, such as openssl rand -hex 32 prints',
    ),
    /** The public keys of those who may report leaked secrets; undefined: no report is accepted. */
    leakKeys: readAddress('LEAK_KEYS', readLeakKeys),
    /** How long requests are still accepted after SIGTERM. */
    drainSeconds: read('DRAIN_SECONDS', wholeNumber(0, 300), 'a whole number of seconds from 0 to 300, such as 5'),
    /** How many processes serve; 1: only this one. */
    workers: read('WORKERS', workers, `a whole number from 1 to ${MAX_WORKERS}, or "auto" for one for each core`),
    /** Where deliveries of webhooks may be sent beside public addresses. */
    webhookNetworks: read(
      'WEBHOOK_NETWORKS',
      networks,
      'addresses or networks with commas between them, such as 10.20.0.0/16,fd12:3456::/32',
    ),
    retention: {
      auditDays: readDays('RETAIN_AUDIT_DAYS'),
      emailDays: readDays('RETAIN_EMAIL_DAYS'),
      usageDays: readDays('RETAIN_USAGE_DAYS'),
      sessionDays: readDays('RETAIN_SESSION_DAYS'),
      invitationDays: readDays('RETAIN_INVITATION_DAYS'),
    },
    /** Backups by schedule, and how many stay; undefined: none. */
    backups: value('BACKUP_DIR') ? { dir: resolve(value('BACKUP_DIR')), everyMs, keep } : undefined,
    firstAdmin: readFirstAdmin(env),
  }
}

export type OriginConfig = Pick<Config, 'baseUrl' | 'host' | 'port'>

export type WebhookConfig = Pick<Config, 'webhookNetworks' | 'baseUrl' | 'port' | 'portalSecret' | 'dataDir'>

/** The URL that links begin with. Never taken from a request, which anybody can forge. */
export function originOf({ baseUrl, host, port }: OriginConfig): string {
  if (baseUrl) return baseUrl.origin
  const name = isEveryAddress(host) ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Whether the portal listens on all addresses of the machine: none of them can be used in a link. */
export const isEveryAddress = (host: string) => host === '0.0.0.0' || host === '::'

/** The host in the portal's own email address; an IP address cannot be one. */
const mailHost = (baseUrl: URL | undefined) =>
  baseUrl && !isIP(baseUrl.hostname.replace(/^\[|\]$/g, '')) ? baseUrl.hostname : 'localhost'

const portalSecretRule = (shared: boolean) =>
  `PORTAL_SECRET must have 32 characters or more${shared ? ', the same for all that use this DATABASE_URL' : ''}`

function readFirstAdmin(env: Env): FirstAdmin | undefined {
  const email = env['ADMIN_EMAIL']?.trim() ?? ''
  const given = env['ADMIN_PASSWORD'] ?? ''
  const password = given.trim() && given.replace(/[\r\n]+$/, '') // blanks are part of a password, a trailing line break is not
  const organization = env['ORGANIZATION']?.trim() ?? ''
  return email || password || organization ? { email, password, organization } : undefined
}

const isComplete = ({ email, password, organization }: FirstAdmin) => email && password && organization

const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text)
  return /^\d+$/.test(text) && number >= min && number <= max ? number : undefined
}

const MAX_WORKERS = 64
const workers = (text: string) =>
  text === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : wholeNumber(1, MAX_WORKERS)(text)

const lengthOf = (min: number, max: number) => (text: string) => {
  const ms = durationOf(text)
  return ms !== undefined && ms >= min && ms <= max ? ms : undefined
}

export const SHORTEST_PASSPHRASE = 12
const passphrase = (text: string) => ([...text].length >= SHORTEST_PASSPHRASE ? text : undefined)

const onOff = (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined)

const bearerToken = (text: string) => (/^[\x21-\x7e]{32,}$/.test(text) ? text : undefined)

const oneOf = (allowed: readonly string[]) => (text: string) => (allowed.includes(text) ? text : undefined)

function proxies(text: string): boolean | string[] | undefined {
  const list = text.split(',').map((part) => part.trim())
  return onOff(text) ?? (list.every(isNetwork) ? list : undefined)
}

/** An address such as 10.0.0.1 or ::1, or a range of them such as 10.1.0.0/16. */
function isNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const width = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  return Number(bits) >= 1 && Number(bits) <= width
}

function networks(text: string): string[] | undefined {
  try {
    const list = text.split(',').filter((part) => part.trim() !== '')
    return checkNetworks('WEBHOOK_NETWORKS', list)
  } catch {
    return undefined // the problem names the variable, and repeats no value
  }
}

function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url) url.host = withoutRootDot(url.host)
  const isBare = url?.href === `${url?.origin}/` // no path, no query, no user name or password
  return url && /^https?:$/.test(url.protocol) && isBare ? url : undefined
}
