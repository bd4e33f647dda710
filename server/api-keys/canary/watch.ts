import type { Deps } from '../../caller/deps.ts'
import { originOf } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { CanaryApiKeyTable } from '../../db/tables.ts'
import { sourceOf } from '../../lib/client-address.ts'
import { createHourly } from '../../lib/hourly.ts'
import { partsOf } from '../../lib/parts.ts'
import { type CanaryCall, raiseAlarm } from './alarm.ts'

/** So that the answer to a canary key takes as long as that to any other unknown key. */
const CHECK_AFTER_MS = 50
const RETRY_AFTER_MS = 1000
const LOOKED_UP_AT_ONCE = 500
const MAX_WAITING = 10_000
const MAX_CALLS_OF_SECRET = 20
/** So that nobody can fill the audit log, however many addresses they call from. */
const RECORDED_SOURCES_AN_HOUR = 20

interface Waiting {
  secretHash: Uint8Array
  calls: number
  seen: CanaryCall[]
}

export interface CanaryWatch {
  /** Notes a call with a well-formed secret that no key has. It never delays or changes the answer. */
  note(secretHash: Uint8Array, call: CanaryCall): void
  close(): Promise<void>
}

/** Looks them up after the answers, many at once: no refusal takes longer for a canary key than for an unknown one. */
export function createCanaryWatch({ config, database, now, log, canaryCheckMs = CHECK_AFTER_MS }: Deps): CanaryWatch {
  const sources = createHourly({ most: RECORDED_SOURCES_AN_HOUR })
  let waiting = new Map<string, Waiting>()
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> = Promise.resolve()

  async function check(): Promise<void> {
    const batch = waiting
    waiting = new Map()
    for (const part of partsOf([...batch.values()], LOOKED_UP_AT_ONCE)) {
      const found = await canariesAmong(database, part).catch((error) => tryAgain(part, error))
      for (const { canary, ...called } of found) await alarm(canary, called).catch((error) => tryAgain([called], error))
    }
  }

  async function alarm(canary: FoundCanary, { calls, seen }: Waiting): Promise<void> {
    const last = seen.at(-1)
    if (!last) return
    const recorded = seen.filter(({ address }) => sources.isNew(canary.id, sourceOf(address), now()))
    try {
      await raiseAlarm(database, canary, { calls, last, recorded }, originOf(config))
    } catch (error) {
      sources.forget(canary.id)
      throw error
    }
    log.warn({ canaryId: canary.id, calls, ip: last.address }, 'a canary key was used')
  }

  function tryAgain(calls: readonly Waiting[], err: unknown): [] {
    log.warn({ err }, 'calls with unknown keys could not be compared with canary keys; they are tried again')
    for (const { secretHash, calls: howMany, seen } of calls) wait(secretHash, howMany, seen)
    start(RETRY_AFTER_MS)
    return []
  }

  /** The waiting calls with this secret; undefined: too many secrets wait. */
  function callsOf(secretHash: Uint8Array): Waiting | undefined {
    const key = keyOf(secretHash)
    const before = waiting.get(key)
    if (before || waiting.size >= MAX_WAITING) return before
    const first = { secretHash, calls: 0, seen: [] }
    waiting.set(key, first)
    return first
  }

  function wait(secretHash: Uint8Array, calls: number, seen: readonly CanaryCall[]): void {
    const all = callsOf(secretHash)
    if (!all) return
    all.calls += calls
    all.seen.push(...seen)
    while (all.seen.length > MAX_CALLS_OF_SECRET) all.seen.shift()
  }

  function start(afterMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      checking = checking.then(check)
    }, afterMs).unref()
  }

  return {
    note(secretHash, call) {
      wait(secretHash, 1, [call])
      start(canaryCheckMs)
    },
    async close() {
      clearTimeout(timer)
      await checking
      clearTimeout(timer)
      await check()
      clearTimeout(timer)
    },
  }
}

const keyOf = (hash: Uint8Array) => (hash instanceof Buffer ? hash : Buffer.from(hash)).toString('latin1')

type FoundCanary = Pick<CanaryApiKeyTable, 'id' | 'organizationId'>

async function canariesAmong(
  { read }: Database,
  part: readonly Waiting[],
): Promise<(Waiting & { canary: FoundCanary })[]> {
  const hashes = part.map(({ secretHash }) => secretHash)
  const canaries = await read
    .selectFrom('canaryApiKey')
    .select(['id', 'organizationId', 'secretHash'])
    .where('secretHash', 'in', hashes)
    .execute()
  const byHash = new Map(canaries.map((canary) => [keyOf(canary.secretHash), canary]))
  return part.flatMap((called) => {
    const canary = byHash.get(keyOf(called.secretHash))
    return canary ? [{ ...called, canary }] : []
  })
}
