import type { KeyObject } from 'node:crypto'
import {
  LARGEST_LIST_BYTES,
  type LeakKeys,
  type PublicKeys,
  parsePublicKeys,
  readKeysFile,
} from '../../config/leak-keys.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

const KEPT_MS = HOUR
/** After a list that lacks the wanted identifier, and after one that could not be read. */
const READ_AGAIN_AFTER_MS = MINUTE
const ANSWER_WITHIN_MS = 5 * SECOND

export interface SenderKeys {
  /** Undefined: there is none. Throws UNAVAILABLE when the list cannot be read: the sender should try again later. */
  find(identifier: string): Promise<KeyObject | undefined>
}

interface Options {
  now: Clock
  log: Log
  answerWithinMs?: number | undefined
}

/** Keeps the list for an hour. An unknown identifier makes it read the list once a minute at most. */
export function createSenderKeys(
  source: LeakKeys,
  { now, log, answerWithinMs = ANSWER_WITHIN_MS }: Options,
): SenderKeys {
  let known: { keys: PublicKeys; at: number } | undefined
  let lastRead = { at: Number.NEGATIVE_INFINITY, failed: false }
  let reading: Promise<void> | undefined

  const current = () => (known && isWithin(KEPT_MS, known.at) ? known.keys : undefined)
  const isWithin = (ms: number, at: number) => Math.abs(now() - at) < ms // a clock that went back is no reason to keep it

  async function read(): Promise<void> {
    const at = now()
    try {
      const keys = 'file' in source ? readKeysFile(source.file) : await fetchKeys(source.address, answerWithinMs)
      known = { keys, at }
      lastRead = { at, failed: false }
    } catch (err) {
      lastRead = { at, failed: true }
      log.warn({ err }, 'the public keys of LEAK_KEYS could not be read: reports of leaked keys may be refused')
    }
  }

  /** Reads the list; whoever needs it meanwhile waits for the same answer. */
  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  return {
    async find(identifier) {
      const key = current()?.get(identifier)
      if (key) return key
      if (reading || !isWithin(READ_AGAIN_AFTER_MS, lastRead.at)) await readOnce()
      const found = current()?.get(identifier)
      if (found || (current() && !lastRead.failed)) return found
      throw new AppError('UNAVAILABLE', {
        retryAfterSeconds: READ_AGAIN_AFTER_MS / SECOND,
        message: 'The public keys of senders cannot be read right now. Send the report again later.',
        cause: new Error('The public keys of LEAK_KEYS could not be read.'),
      })
    },
  }
}

/** A redirect is an error: the operator has named the one address that is trusted. */
async function fetchKeys(address: URL, answerWithinMs: number): Promise<PublicKeys> {
  const answer = await fetch(address, {
    headers: { accept: 'application/json', 'user-agent': 'edge-management-portal' },
    redirect: 'error',
    signal: AbortSignal.timeout(answerWithinMs),
  })
  if (answer.status !== 200) {
    await answer.body?.cancel()
    throw new Error(`The answer has the status ${answer.status}.`)
  }
  return parsePublicKeys(await textOf(answer))
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let received = 0
  for await (const chunk of body ?? []) {
    received += chunk.length
    if (received > LARGEST_LIST_BYTES) throw new Error(`The answer has more than ${LARGEST_LIST_BYTES / 1024} KiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
