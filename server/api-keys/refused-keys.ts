import { insertEvent } from '../audit/audit-event.ts'
import type { Deps } from '../deps.ts'
import { HOUR } from '../lib/clock.ts'
import type { Failure } from '../lib/failure.ts'
import { FLUSH_EVERY_MS } from './usage-counter.ts'

/** Nobody fills the audit log by calling with a key that is refused, from however many addresses. */
export const EVENTS_OF_A_KEY_AN_HOUR = 20
const MOST_KEYS = 10_000
const MOST_WAITING = 1_000

/** A key that is there, and was refused by its end or its rules. */
export interface RefusedKey {
  keyId: string
  label: string
  organizationId: string
}

interface Waiting extends RefusedKey {
  at: number
  details: string
}

export interface RefusedKeys {
  /** Takes note of a refusal; one of each kind from each source is written down in an hour. */
  note(key: RefusedKey, why: Failure, source: string): void
  /** The last flush. */
  close(): Promise<void>
}

/** Writes refused keys into the audit log of their organization, in batches: it never delays a request and never fails one. */
export function createRefusedKeys({ database, now, log, usageFlushMs = FLUSH_EVERY_MS }: Deps): RefusedKeys {
  let hour = 0
  let told = new Map<string, Set<string>>() // by key
  let waiting: Waiting[] = []
  let underWay: Promise<void> = Promise.resolve()

  function isNew(keyId: string, kind: string): boolean {
    const kinds = told.get(keyId) ?? new Set()
    if (kinds.has(kind) || kinds.size >= EVENTS_OF_A_KEY_AN_HOUR || told.size >= MOST_KEYS) return false
    told.set(keyId, kinds.add(kind))
    return true
  }

  async function write(): Promise<void> {
    const batch = waiting
    if (batch.length === 0) return
    waiting = []
    try {
      await database.transaction(async (db) => {
        for (const { at, keyId, label, organizationId, details } of batch) {
          const actor = { kind: 'API_KEY', id: keyId, name: label } as const
          await insertEvent(db, at, { action: 'api_key.refused', subject: label, details, actor, organizationId })
        }
      })
    } catch (error) {
      waiting = [...batch, ...waiting].slice(0, MOST_WAITING)
      log.warn({ err: error }, 'refused keys could not be written into the audit log; it will be tried again')
    }
  }

  const flush = () => {
    underWay = underWay.then(write)
    return underWay
  }
  const timer = setInterval(flush, usageFlushMs)
  timer.unref()
  return {
    note({ keyId, label, organizationId }, { code, message }, source) {
      const at = now()
      if (at - (at % HOUR) !== hour) {
        hour = at - (at % HOUR)
        told = new Map()
      }
      const [reason = ''] = message.split(/[.:]/)
      if (waiting.length >= MOST_WAITING || !isNew(keyId, `${reason} ${source}`)) return
      waiting.push({ keyId, label, organizationId, at, details: `${code} from ${source}: ${reason}; key ${keyId}` })
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
