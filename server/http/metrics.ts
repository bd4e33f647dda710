import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Deps } from '../caller/deps.ts'
import { failedSignIns, limitRefusals, storageUsed, webhookAttempts, webhookQueue } from '../config/counts.ts'
import type { Config } from '../config.ts'
import { AppError } from '../lib/app-error.ts'
import { isOfThisMachine, LOOPBACK } from '../lib/host.ts'
import type { Metric } from '../workers/gathered-metrics.ts'
import type { WorkerLink } from '../workers/link.ts'

interface Metrics {
  registry: Registry
  /** Counts refusals inside a response. */
  countRefusedOperation(codes: readonly string[]): void
  /** `/metrics` for Prometheus. */
  route(app: FastifyInstance): Promise<void>
}

/** The metrics of the portal. No label names an organization, a person or a key. */
export function createMetrics(deps: Deps): Metrics {
  const { config, link } = deps
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const refusals = new Counter({
    name: 'portal_graphql_errors_total',
    help: 'Errors in GraphQL responses, by code.',
    labelNames: ['code'],
    registers: [registry],
  })

  exposeAll(registry, deps)
  const shared = link && createSharedMetrics(link, registry)
  return {
    registry,
    countRefusedOperation(codes) {
      for (const code of codes) refusals.labels(code).inc()
    },
    async route(app) {
      app.get('/metrics', async ({ raw: { headers, socket } }, reply) => {
        requireMetricsReader(config, { address: socket.remoteAddress, headers })
        reply.type(registry.contentType)
        if (shared) return shared.text()
        return registry.metrics()
      })
      if (shared) app.addHook('onClose', shared.leave)
    },
  }
}

function exposeAll(registry: Registry, { database: { lookups }, ledger, backups }: Deps): void {
  const counted = (described: Described, values: Values) => expose(registry, 'count', described, values)
  const measured = (described: Described, values: Values) => expose(registry, 'measure', described, values)

  counted({ name: 'portal_lookups_total', help: 'Keys and sessions looked up.' }, () => lookups.asked)
  counted({ name: 'portal_lookup_queries_total', help: 'Queries for these lookups.' }, () => lookups.queries)
  const limit = 'Refusals because a limit was reached, by limit: see the table in docs/operations.md.'
  counted({ name: 'portal_limit_refusals_total', help: limit, label: 'limit' }, () => limitRefusals.entries)
  const signIns = 'Failed sign-ins, by whether the address has an account.'
  counted({ name: 'portal_sign_in_failures_total', help: signIns, label: 'account' }, () => failedSignIns.entries)

  const attempts = 'Attempts to deliver to webhooks, by result: delivered, retried later, failed for good.'
  counted({ name: 'portal_webhook_attempts_total', help: attempts, label: 'result' }, () => webhookAttempts.entries)
  const pending =
    'Deliveries to webhooks that wait for an attempt, and events that wait to become some, of all replicas, counted up to 10,000.'
  measured({ name: 'portal_webhook_pending', help: pending }, () => webhookQueue.pending)
  const lag = 'How late the delivery is that is due the longest, as of the last look.'
  measured({ name: 'portal_webhook_lag_seconds', help: lag }, () => webhookQueue.lagMs / 1000)
  const stored =
    'The share of its stored bytes that the organization with the most has used, by limit, as of the last look; 1: none are left.'
  measured({ name: 'portal_stored_bytes_used_ratio', help: stored, label: 'limit' }, () => storageUsed)
  if (ledger) {
    const failures = 'How often the ledger could not be written or read.'
    counted({ name: 'portal_ledger_failures_total', help: failures }, () => ledger.failures)
    const behind = 'Revocations in the database that the ledger of this process does not have yet.'
    measured({ name: 'portal_ledger_behind', help: behind }, () => ledger.behind)
    const held = '1 while no API key is accepted after a restore, until the operator decides; 0 otherwise.'
    measured({ name: 'portal_keys_held', help: held }, () => (ledger.heldSince === null ? 0 : 1))
  }
  if (backups) {
    const verified =
      'The time of the last scheduled backup that was proven to be restorable, of any replica; 0: none yet.'
    const name = 'portal_backup_verified_timestamp_seconds'
    measured({ name, help: verified }, () => Math.floor((backups.verifiedAt ?? 0) / 1000))
    const failures = 'How often a scheduled backup could not be made or verified.'
    counted({ name: 'portal_backup_failures_total', help: failures }, () => backups.failures)
  }
}

/** Reads a count or a measure from where it is: one number, or one for each value of a label. */
type Values = () => number | Iterable<[string, number]>

interface Described {
  name: string
  help: string
  label?: string
}

function expose(registry: Registry, kind: 'count' | 'measure', { name, help, label }: Described, values: Values): void {
  const Metric = kind === 'count' ? Counter<string> : Gauge<string>
  new Metric({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    aggregator: kind === 'count' ? 'sum' : 'max', // all workers measure the same thing: a sum would multiply it
    registers: [registry],
    collect() {
      this.reset()
      const now = values()
      if (typeof now === 'number') this.inc(now)
      else for (const [value, count] of now) this.inc({ [label ?? '']: value }, count)
    },
  })
}

/** Headers that proxies add: a request through a proxy comes from elsewhere, even if the proxy is on this machine. */
const ADDED_BY_PROXIES = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/

interface MetricsRequest {
  /** The address of the connection itself. */
  address: string | undefined
  headers: IncomingHttpHeaders
}

/** Metrics need `METRICS_TOKEN`; where none is set, they are served to this machine only. */
export function requireMetricsReader(
  { metricsToken }: Pick<Config, 'metricsToken'>,
  { address, headers }: MetricsRequest,
): void {
  if (metricsToken !== undefined) {
    const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
    if (given !== undefined && timingSafeEqual(digest(given), digest(metricsToken))) return
    throw new AppError('UNAUTHENTICATED', {
      message: 'Send METRICS_TOKEN as in Authorization: Bearer TOKEN.',
      challenge: 'Bearer realm="metrics"',
    })
  }
  const isThroughProxy = Object.keys(headers).some((name) => ADDED_BY_PROXIES.test(name))
  if (LOOPBACK.contains(address ?? '') && !isThroughProxy && isForThisMachine(headers.host)) return
  throw new AppError('FORBIDDEN', {
    message:
      'Metrics are for the machine that the portal runs on, at its loopback address or localhost. For others set METRICS_TOKEN there, and send it as in Authorization: Bearer TOKEN.',
  })
}

/** A page of another site may have pointed its own name at this machine: a browser here then asks for that name. */
const isForThisMachine = (host: string | undefined) =>
  host === undefined || (URL.canParse(`http://${host}`) && isOfThisMachine(new URL(`http://${host}`).hostname))

/** All digests have the same length. */
const digest = (text: string) => hash('sha256', text, 'buffer')

/** Added up, these would say nothing. What is no sum among the portal's own names its aggregator itself. */
const NO_SUMS: Record<string, string> = { process_start_time_seconds: 'min', process_max_fds: 'min' }

interface SharedMetrics {
  text(): Promise<string>
  /** Sends the last ones of this worker: what it has counted stays counted. */
  leave(): Promise<void>
}

function createSharedMetrics(link: WorkerLink, registry: Registry): SharedMetrics {
  const own = () => registry.getMetricsAsJSON()
  link.onAsk('metrics', own)
  return {
    async text() {
      const all = await link.ask<Metric[][]>('metrics of all', {})
      const known = all.map((metrics) =>
        metrics.map((metric) => ({ ...metric, aggregator: NO_SUMS[metric.name] ?? metric.aggregator })),
      )
      return AggregatorRegistry.aggregate(known).metrics()
    },
    leave: async () => link.tell('last metrics', await own()),
  }
}
