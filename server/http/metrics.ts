import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BackupState, Deps, LedgerState } from '../deps.ts'
import { type Counts, failedSignIns, limitRefusals, storageUsed, webhookAttempts, webhookQueue } from '../lib/counts.ts'
import { createSharedMetrics } from '../workers/metrics.ts'
import type { RecordRequest } from './access-log.ts'
import { requireMetricsReader } from './metrics-access.ts'

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counted one by one, requests took 4 to 5 % more CPU time each: the library looks labels up each time. */
const COUNTED_AT_ONCE = 200

interface Metrics {
  count: RecordRequest
  /** Counts refusals inside a response. */
  countRefused(codes: readonly string[]): void
  /** `/metrics` for Prometheus. */
  route(app: FastifyInstance): Promise<void>
}

/** Requests of a route that are not counted yet. */
interface RecentOfRoute {
  /** How many had each status. */
  statuses: Map<number, number>
  ms: number[]
  observe(seconds: number): void
}

/** The metrics of the portal. No label names an organization, a person or a key. */
export function createMetrics({ config, database: { lookups }, ledger, backups, link, leases }: Deps): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'portal_http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'portal_http_request_duration_seconds',
    help: 'Time from the arrival of a request to its response, by route.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers: [registry],
  })

  const refusals = new Counter({
    name: 'portal_graphql_errors_total',
    help: 'Errors in GraphQL responses, by code.',
    labelNames: ['code'],
    registers: [registry],
  })

  countedElsewhere(registry, 'portal_lookups_total', 'Keys and sessions looked up.', () => lookups.asked)
  countedElsewhere(registry, 'portal_lookup_queries_total', 'Queries for these lookups.', () => lookups.queries)

  measureWebhooks(registry)
  measureStorage(registry)
  if (ledger) measureLedger(registry, ledger)
  if (backups) measureBackups(registry, backups)

  if (leases) {
    const asked = 'How often the parent was asked for a part of what limits allow.'
    countedElsewhere(registry, 'portal_lease_requests_total', asked, () => leases.requests)
  }
  const limits = 'Refusals because a limit was reached, by limit: see the table in docs/operations.md.'
  countedByName(registry, { name: 'portal_limit_refusals_total', help: limits, label: 'limit', counts: limitRefusals })
  const failures = 'Failed sign-ins, by whether the address has an account.'
  countedByName(registry, {
    name: 'portal_sign_in_failures_total',
    help: failures,
    label: 'account',
    counts: failedSignIns,
  })

  const routes = new Map<string, RecentOfRoute>()
  let recent = 0

  function recentOf(route: string): RecentOfRoute {
    let known = routes.get(route)
    if (!known) {
      const { observe } = durations.labels(route)
      known = { statuses: new Map(), ms: [], observe }
      routes.set(route, known)
    }
    return known
  }

  function countRecent(): void {
    for (const [route, { statuses, ms, observe }] of routes) {
      for (const [status, count] of statuses) requests.inc({ route, status }, count)
      for (const each of ms) observe(each / 1000)
      statuses.clear()
      ms.length = 0
    }
    recent = 0
  }
  const shared = link && createSharedMetrics(link, registry, countRecent)
  return {
    count({ route, status, ms }) {
      const ofRoute = recentOf(route)
      ofRoute.statuses.set(status, (ofRoute.statuses.get(status) ?? 0) + 1)
      ofRoute.ms.push(ms)
      if (++recent >= COUNTED_AT_ONCE) countRecent()
    },
    countRefused(codes) {
      for (const code of codes) refusals.labels(code).inc()
    },
    async route(app) {
      app.get('/metrics', async ({ raw: { headers, socket } }, reply) => {
        requireMetricsReader(config, { address: socket.remoteAddress, headers })
        reply.type(registry.contentType)
        if (shared) return shared.text()
        countRecent()
        return registry.metrics()
      })
      if (shared) app.addHook('onClose', shared.leave)
    },
  }
}

function measureWebhooks(registry: Registry): void {
  const attempts = 'Attempts to deliver to webhooks, by result: delivered, retried later, failed for good.'
  const name = 'portal_webhook_attempts_total'
  countedByName(registry, { name, help: attempts, label: 'result', counts: webhookAttempts })
  const pending =
    'Deliveries to webhooks that wait for an attempt, and events that wait to become some, of all replicas, counted up to 10,000.'
  measuredElsewhere(registry, 'portal_webhook_pending', pending, () => webhookQueue.pending)
  const lag = 'How late the delivery is that is due the longest, as of the last look.'
  measuredElsewhere(registry, 'portal_webhook_lag_seconds', lag, () => webhookQueue.lagMs / 1000)
}

function measureStorage(registry: Registry): void {
  new Gauge({
    name: 'portal_stored_bytes_used_ratio',
    help: 'The share of its stored bytes that the organization with the most has used, by limit, as of the last look; 1: none are left.',
    labelNames: ['limit'],
    aggregator: 'max',
    registers: [registry],
    collect() {
      for (const [limit, share] of storageUsed) this.set({ limit }, share)
    },
  })
}

function measureLedger(registry: Registry, ledger: LedgerState): void {
  const failures = 'How often the ledger could not be written or read.'
  countedElsewhere(registry, 'portal_ledger_failures_total', failures, () => ledger.failures)
  const behind = 'Revocations in the database that the ledger of this process does not have yet.'
  measuredElsewhere(registry, 'portal_ledger_behind', behind, () => ledger.behind)
  const held = '1 while no API key is accepted after a restore, until the operator decides; 0 otherwise.'
  measuredElsewhere(registry, 'portal_keys_held', held, () => (ledger.heldSince === null ? 0 : 1))
}

function measureBackups(registry: Registry, backups: BackupState): void {
  const verified =
    'The time of the last scheduled backup that was proven to be restorable, of any replica; 0: none yet.'
  measuredElsewhere(registry, 'portal_backup_verified_timestamp_seconds', verified, () =>
    Math.floor((backups.verifiedAt ?? 0) / 1000),
  )
  const failures = 'How often a scheduled backup could not be made or verified.'
  countedElsewhere(registry, 'portal_backup_failures_total', failures, () => backups.failures)
}

function measuredElsewhere(registry: Registry, name: string, help: string, measure: () => number): void {
  new Gauge({
    name,
    help,
    aggregator: 'max', // each worker sees the same from its place
    registers: [registry],
    collect() {
      this.set(measure())
    },
  })
}

function countedElsewhere(registry: Registry, name: string, help: string, count: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(count())
    },
  })
}

function countedByName(
  registry: Registry,
  { name, help, label, counts }: { name: string; help: string; label: string; counts: Counts },
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset()
      for (const [value, count] of counts.entries) this.inc({ [label]: value }, count)
    },
  })
}
