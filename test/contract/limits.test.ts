import { expect, it } from 'vitest'
import { FLUSH_EVERY_MS } from '../../server/api-keys/usage/counter.ts'
import { REFUSALS_OF_A_CALLER_AN_HOUR } from '../../server/audit/refusals.ts'
import { SESSION_IDLE_MS } from '../../server/caller/ctx.ts'
import { LIMITS } from '../../server/config/limits.ts'
import { HEAVY_READS } from '../../server/db/heavy-reads.ts'
import { POSTGRES_TIMEOUTS } from '../../server/db/postgres/timeouts.ts'
import { WRITE_PATIENCE_MS } from '../../server/db/sqlite/database.ts'
import { BURST_SECONDS } from '../../server/endpoints/rate-limit.ts'
import { PATIENCE_MS } from '../../server/graphql/checking.ts'
import * as graphql from '../../server/graphql/operation-limits.ts'
import { REQUEST_TIMES } from '../../server/http/server.ts'
import {
  LINKS_OF_SOURCE,
  LINKS_TO_RECIPIENT,
  SIGN_INS_OF_ACCOUNT,
  SIGN_INS_OF_SOURCE,
  SIGN_UPS,
} from '../../server/identity/backoff.ts'
import { SESSION_LIFETIME_MS } from '../../server/identity/session.ts'
import { RECORD_AFTER_MS, RECORDED_EVERY_MS } from '../../server/identity/sign-in-failures.ts'
import { MAX_BLOCK_MS } from '../../server/lib/event-loop.ts'
import { VALKEY_TIMEOUTS } from '../../server/lib/valkey.ts'
import { WATCHDOG } from '../../server/lib/watchdog.ts'
import { EMAIL_WORKER_TIMES } from '../../server/mail/email-worker.ts'
import { CLOSE_MS } from '../../server/main.ts'
import { JOBS_EVERY_MS } from '../../server/process/background-jobs.ts'
import { GIVE_UP_MS } from '../../server/process/signals.ts'
import { LEASE_MS } from '../../server/webhooks/delivery-queue.ts'
import { WEBHOOK_WORKER_TIMES } from '../../server/webhooks/webhook-worker.ts'

/*
 * Tests ask for other times than these, so that none has to wait. What production goes by is on this page; what a password
 * costs is in server/identity/password.test.ts, since a stored hash says it.
 */

it('an operation, a statement and a lookup have time limits, then the answer is 503', () => {
  expect(graphql.OPERATION_TIMEOUT_MS).toBe(10_000)
  expect(POSTGRES_TIMEOUTS).toEqual({
    statementMs: 5000,
    answerMs: 6000,
    idleInTransactionMs: 2000,
    connectionMs: 5000,
    lookupMs: 1000,
    pingMs: 2000,
  })
  expect(WRITE_PATIENCE_MS).toBe(5000)
})

it('C16: a heavy read takes and waits at most 5 s, and a chain of short ones does not block the event loop', () => {
  expect(HEAVY_READS).toEqual({
    threads: 2,
    statementMs: 5000,
    patienceMs: 5000,
    maxWaiting: 1000,
    maxWaitingOfOrganization: 100,
  })
  expect(MAX_BLOCK_MS).toBe(10)
})

it('a caller has a burst of twice the rate; Valkey may delay a request by a tenth of a second', () => {
  expect(BURST_SECONDS).toBe(2)
  expect(VALKEY_TIMEOUTS).toEqual({ answerMs: 100, connectMs: 1000, tryAgainAfterMs: 1000 })
})

it('a point covers a cost of 250 or 100 new tokens; a plan has 250 fields, cached documents 100,000 tokens', () => {
  expect([graphql.MAX_COST, graphql.COST_OF_A_POINT, graphql.TOKENS_OF_A_POINT]).toEqual([5000, 250, 100])
  expect(graphql.MAX_PLANNED_FIELDS).toBe(250)
  expect([graphql.CACHED_OPERATIONS, graphql.CACHED_TOKENS, graphql.MAX_OPERATIONS]).toEqual([500, 100_000, 10])
})

it('a new document waits for parsing and for validation, both together less than a second', () => {
  expect(PATIENCE_MS).toBe(400)
})

it('five wrong passwords are free, then 1 s doubles to 15 minutes, and all are forgotten a day after the first', () => {
  const seconds = [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]
  expect(SIGN_INS_OF_ACCOUNT).toEqual({
    waitsMs: seconds.map((each) => each * 1000),
    forgottenAfterMs: 24 * 60 * 60 * 1000,
  })
})

it('50 wrong passwords of a source in an hour are free, then 1 s doubles to a minute', () => {
  const seconds = [...Array(49).fill(0), 1, 2, 4, 8, 16, 32, 60]
  expect(SIGN_INS_OF_SOURCE).toEqual({ waitsMs: seconds.map((each) => each * 1000), forgottenAfterMs: 60 * 60 * 1000 })
})

it('20 accounts of a source can be created in a day, then one every 3 minutes', () => {
  expect(SIGN_UPS).toEqual({ waitsMs: [...Array(19).fill(0), 180_000], forgottenAfterMs: 24 * 60 * 60 * 1000 })
})

it('3 links to a recipient in a day are free, and 10 of a source, then one every 20 and every 6 minutes', () => {
  const forgottenAfterMs = 24 * 60 * 60 * 1000
  expect(LINKS_TO_RECIPIENT).toEqual({ waitsMs: [0, 0, 1_200_000], forgottenAfterMs })
  expect(LINKS_OF_SOURCE).toEqual({ waitsMs: [...Array(9).fill(0), 360_000], forgottenAfterMs })
})

it('failed sign-ins are recorded within 5 s, once in 15 minutes for an account and source', () => {
  expect([RECORD_AFTER_MS, RECORDED_EVERY_MS]).toEqual([5000, 15 * 60 * 1000])
})

it('no caller takes more than its share', () => {
  expect(LIMITS).toEqual({
    active_keys: 100,
    keys_of_rotation_chain: 2,
    canary_keys: 50,
    key_ancestors: 100,
    stored_keys: 1000,
    organizations_of_person: 100,
    organizations_created: 20,
    devices: 1_000_000,
    device_views: 50,
    webhooks: 20,
    webhook_tests: 8,
    delivery_bytes: 256 * 1024 ** 2,
    audit_bytes_a_day: 256 * 1024 ** 2,
    answer_bytes: 64 * 1024 ** 2,
    people: 10_000,
    open_invitations: 1000,
    emails_of_person: 100,
    emails_of_organization: 50,
    emails_to_recipient: 10,
    emails_to_recipient_of_organization: 3,
    requested_links_of_source: 10,
    requested_links_to_recipient: 3,
    auth_requests: 600,
    sessions_of_person: 100,
    sign_ups: 20,
    sign_in_source: 50,
    sign_in_account: 5,
    passwords_of_source: 20,
    passwords: 2000,
    documents: 250,
    documents_of_organization: 50,
    documents_waiting: 500,
    connections: 10_000,
    open_requests_of_connection: 100,
    unsent_bytes: 128 * 1024 ** 2,
    unfinished_requests_of_source: 200,
    unfinished_requests: 2000,
    bulk_bodies_of_organization: 4,
    bulk_bodies: 16,
    connection_waits_of_organization: 1000,
    connection_waits: 10_000,
    requests_of_key: 10_000,
    requests_of_key_a_day: 1_000_000_000,
    requests_of_organization: 5,
    requests_of_caller: 100,
    refused_keys: 30,
  })
})

it('a request has 10 s for its headers and 30 s for all of it', () => {
  expect(REQUEST_TIMES).toEqual({ headersTimeout: 10_000, requestTimeout: 30_000 })
})

it('a session expires after 12 hours without use, and after 7 days', () => {
  expect([SESSION_IDLE_MS, SESSION_LIFETIME_MS]).toEqual([12 * 60 * 60 * 1000, 7 * 24 * 60 * 60 * 1000])
})

it('the email queue is read every 2 s, and usage is written every 5 s', () => {
  expect(EMAIL_WORKER_TIMES).toEqual({ pollEveryMs: 2000, closeWithinMs: 7000 })
  expect(FLUSH_EVERY_MS).toBe(5000)
})

it('the watchdog kills a process after ten ticks without a signal, and reports two for ten more', () => {
  expect(WATCHDOG).toEqual({ tickMs: 1000, fatalTicks: 10, stalledTicks: 2, reportedForTicks: 10 })
})

it('background jobs run every half a minute', () => {
  expect(JOBS_EVERY_MS).toBe(30_000)
})

it('a refused key is recorded in the audit log at most 20 times an hour', () => {
  expect(REFUSALS_OF_A_CALLER_AN_HOUR).toBe(20)
})

it('once the listener is closed, a stop waits 7 s for requests, and ends before a container runtime kills after 10 s', () => {
  expect([CLOSE_MS, GIVE_UP_MS]).toEqual([7000, 9500])
})

it('a receiver of webhooks has 15 seconds to answer, and another worker waits longer than that', () => {
  expect(WEBHOOK_WORKER_TIMES).toEqual({
    pollEveryMs: 1000,
    closeWithinMs: 7000,
    answerWithinMs: 15_000,
    bodyWithinMs: 1000,
  })
  expect(LEASE_MS).toBe(60_000)
})
