import { MINUTE, SECOND } from './clock.ts'
import type { Log } from './log.ts'
import { valkeyAddress } from './valkey-address.ts'
import { answeredWithin } from './within.ts'

export interface ValkeyTimeouts {
  answerMs: number
  connectMs: number
  tryAgainAfterMs: number
}

export const VALKEY_TIMEOUTS: ValkeyTimeouts = { answerMs: 100, connectMs: SECOND, tryAgainAfterMs: SECOND }

const WARN_AGAIN_AFTER_MS = MINUTE

// Writes, so that a read-only replica, a full memory or missing permissions are found here and not by a request.
const PROBE = "return redis.call('set', KEYS[1], '', 'PX', 1000)"

/** A Valkey or Redis server, which may be unavailable at any time. */
export interface Valkey {
  /** Runs a script in one round trip. Rejects within a tenth of a second, and at once while the server is known to be unavailable. */
  eval(script: string, input: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** Deletes a key; how many there were. As `eval`. */
  del(key: string): Promise<number>
  close(): void
}

/** Connects. If the server is unavailable, logs a warning and retries every second. */
export async function connectValkey(url: URL, log: Log, given: Partial<ValkeyTimeouts> = {}): Promise<Valkey> {
  const { answerMs, connectMs, tryAgainAfterMs } = { ...VALKEY_TIMEOUTS, ...given }
  const { Redis } = await import('ioredis') // imported here, since only those who use it should pay for its memory
  const create = () =>
    new Redis({
      ...valkeyAddress(url),
      protocol: 2,
      lazyConnect: true,
      enableReadyCheck: false, // the probe checks more
      enableOfflineQueue: false,
      retryStrategy: () => null,
      connectTimeout: connectMs,
      disconnectTimeout: 0,
    })
  type Client = ReturnType<typeof create>
  const outageLog = createOutageLog(log)
  let state: { is: 'ready' | 'connecting'; client: Client } | { is: 'away' | 'closed' } = { is: 'away' }
  let timer: NodeJS.Timeout | undefined

  /** Always with a new client: a connection that stalled, or was cut silently, is never waited for. */
  async function connect(): Promise<void> {
    const client = create()
    client.on('error', (error) => giveUp(client, error))
    client.on('close', () => giveUp(client, new Error('connection closed')))
    state = { is: 'connecting', client }
    try {
      await answeredWithin(connectMs, client.connect())
      await answeredWithin(answerMs, client.eval(PROBE, 1, 'portal:probe'))
      if (uses(client)) {
        state = { is: 'ready', client }
        client.stream.unref() // it must not keep a process alive that cannot start
        outageLog.answers()
      }
    } catch (error) {
      giveUp(client, error)
    }
  }

  const uses = (client: Client) => 'client' in state && state.client === client

  function giveUp(client: Client, error: unknown): void {
    if (!uses(client)) return
    state = { is: 'away' }
    client.disconnect() // rejects everything in progress, so that no other request waits
    outageLog.isAway(error)
    timer = setTimeout(connect, tryAgainAfterMs).unref()
  }

  async function ask<Answer>(question: (client: Client) => Promise<Answer>): Promise<Answer> {
    if (state.is !== 'ready') throw new Error('Valkey is away')
    const { client } = state
    try {
      return await answeredWithin(answerMs, question(client))
    } catch (error) {
      giveUp(client, error)
      throw error
    }
  }

  await connect()
  return {
    eval: (script, { keys, arguments: values }) =>
      ask((client) => client.eval(script, keys.length, ...keys, ...values)),
    del: (key) => ask((client) => client.del(key)),
    close() {
      const closing = 'client' in state ? state.client : undefined
      state = { is: 'closed' }
      closing?.disconnect()
      clearTimeout(timer)
    },
  }
}

/** At most one warning a minute, however often the server becomes unavailable. */
function createOutageLog(log: Log) {
  let warnedAt = Number.NEGATIVE_INFINITY
  let reported: 'shared' | 'alone' | undefined
  return {
    answers() {
      if (reported !== 'shared') log.info('Valkey answers: limits are shared')
      reported = 'shared'
    },
    isAway(error: unknown) {
      if (performance.now() - warnedAt < WARN_AGAIN_AFTER_MS) return
      warnedAt = performance.now()
      reported = 'alone'
      const reason = reasonOf(error)
      log.warn({ reason }, 'Valkey cannot be used: limits are counted by this process alone until it can')
    },
  }
}

/** An error code if there is one: a server's message may repeat what it was sent, such as a password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error) return String(error.code)
  return error.message.replace(/^([A-Z]+)\s.*/s, '$1')
}
