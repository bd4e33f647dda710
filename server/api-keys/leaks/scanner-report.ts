import { hash } from 'node:crypto'
import { inTransaction } from '../../caller/ctx.ts'
import type { Database } from '../../db/database.ts'
import type { Transaction } from '../../db/transaction.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { partsOf } from '../../lib/parts.ts'
import { notifyLeakedCanary } from '../canary/alarm.ts'
import { type FoundSecret, findSecrets, portalContext } from './leaked-secrets.ts'
import type { LeakLocation, ReportedToken } from './report.ts'
import { revokeLeakedKeys } from './revoke-leaked.ts'

const KEYS_AT_ONCE = 100

interface Scanned {
  database: Database
  now: Clock
  log: Log
  origin: string
}

/** What the sender learns of an entry. The secret itself is not repeated. */
export interface Labelled {
  token_hash: string
  token_type: string
  label: 'true_positive' | 'false_positive'
}

/** Revokes every key in a verified report. If anything fails the others are revoked all the same: sent again, the report does the rest. */
export async function answerReport(scanned: Scanned, report: readonly ReportedToken[]): Promise<Labelled[]> {
  const places = Map.groupBy(report, ({ token }) => token)
  const found = await findSecrets(scanned.database, [...places.keys()])
  const causes = [
    ...(await revokeKeys(scanned, found, places)),
    ...(await notifyLeakedCanaries(scanned, found, places)),
  ]
  if (causes.length > 0)
    throw new AppError('UNAVAILABLE', {
      message: 'Not every key of the report is on record as revoked. Send the report again.',
      cause: new AggregateError(causes),
    })
  return report.map(({ token, type }) => {
    const isOurs = found.get(token)?.is !== 'unknown'
    return {
      token_hash: hash('sha256', token, 'hex'),
      token_type: type,
      label: isOurs ? 'true_positive' : 'false_positive',
    }
  })
}

type Found = ReadonlyMap<string, FoundSecret>
type Places = ReadonlyMap<string, readonly LeakLocation[]>

/** One transaction for some keys of an organization, so that its Admins get one email. Returns what went wrong. */
async function revokeKeys(scanned: Scanned, found: Found, places: Places): Promise<unknown[]> {
  const keys = [...found].flatMap(([token, is]) =>
    is.is === 'key' ? [{ ...is, places: places.get(token) ?? [] }] : [],
  )
  const causes: unknown[] = []
  for (const [organizationId, leaked] of Map.groupBy(keys, (key) => key.organizationId))
    for (const part of partsOf(leaked, KEYS_AT_ONCE)) {
      const byId = new Map(part.map((key) => [key.id, key.places]))
      const ctx = { ...portalContext(scanned, organizationId), usesReserve: 'revoke' as const }
      try {
        const { keys, receipt } = await inTransaction(ctx, (ctx) =>
          revokeLeakedKeys(ctx, { organizationId, places: byId, reporter: 'sender', origin: scanned.origin }),
        )
        if (keys.length > 0)
          scanned.log.warn({ organizationId, keyIds: keys.map(({ id }) => id) }, 'leaked keys revoked')
        if (!receipt.durable) causes.push(new Error('The ledger could not be written.'))
      } catch (error) {
        causes.push(error)
      }
    }
  return causes
}

async function notifyLeakedCanaries(scanned: Scanned, found: Found, places: Places): Promise<unknown[]> {
  const { database, now, origin } = scanned
  const causes: unknown[] = []
  for (const [token, is] of found) {
    if (is.is !== 'canary') continue
    const { id, organizationId } = is
    const notify = (db: Transaction) => notifyLeakedCanary(db, id, places.get(token) ?? [], { now: now(), origin })
    await database.transaction(notify, { organizationId }).catch((error) => {
      causes.push(error)
    })
  }
  return causes
}
