import { setTimeout as sleep } from 'node:timers/promises'
import manifest from '../../package.json' with { type: 'json' }
import { AppError } from '../../server/lib/app-error.ts'
import { badInput } from '../../server/lib/check.ts'
import { SECOND } from '../../server/lib/clock.ts'
import { boundedText, TooLong } from './bounded-text.ts'
import type { Api, Operation, Result } from './graphql-api.ts'
import { isMutation } from './sent-document.ts'

const ATTEMPTS = 4
const MAX_WAIT_SECONDS = 60
const ANSWER_WITHIN_MS = 60 * SECOND

interface Remote {
  endpoint: URL
  secret: string
  /** Says that the portal asked to wait. */
  onWait: (seconds: number) => void
}

interface Received {
  status: number
  retryAfter: string | null
  text: string
}

/**
 * The API of a portal elsewhere. What the portal refused for now (429), or could not answer (503), is sent again when it
 * says, a few times: reads, and writes that it recognizes as the same.
 */
export function remoteApi({ endpoint, secret, onWait }: Remote): Api {
  async function send({ query, variables, operationName, idempotencyKey }: Operation): Promise<Received> {
    const response = await fetch(endpoint, {
      method: 'POST',
      redirect: 'manual', // the secret is for this address alone
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'api-secret': secret,
        'user-agent': `portal-cli/${manifest.version}`,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ query, variables, operationName }),
    })
    const { status, headers } = response
    return { status, retryAfter: headers.get('retry-after'), text: await boundedText(response) }
  }

  return {
    async request(operation) {
      const isWrite = isMutation(operation)
      const isRepeatable = !isWrite || operation.idempotencyKey !== undefined
      for (let attempt = 1; ; attempt += 1) {
        const received = await send(operation).catch((error: unknown) => {
          throw unreachable(endpoint, error, { isWrite })
        })
        const { status, retryAfter } = received
        const isWorthwhile = status === 429 || (status === 503 && isRepeatable)
        const seconds = Math.max(0, Number(retryAfter ?? 1))
        if (!isWorthwhile || attempt === ATTEMPTS || !(seconds <= MAX_WAIT_SECONDS)) return resultIn(received, endpoint)
        if (seconds > 0) onWait(seconds)
        await sleep(seconds * SECOND)
      }
    },
  }
}

function resultIn({ status, text }: Received, { origin }: URL): Result {
  if (status >= 300 && status < 400)
    throw new AppError('UNAVAILABLE', {
      message: `${origin} redirects to another address, and the secret was not sent there. Give the address of the portal itself.`,
    })
  const result = parse(text)
  if (isResult(result)) return result
  throw new AppError('UNAVAILABLE', { message: `There is no API of a portal at ${origin} (status ${status}).` })
}

/** What a portal answers: data, or a list of errors, or both. */
function isResult(value: unknown): value is Result {
  if (typeof value !== 'object' || value === null) return false
  if ('errors' in value) return Array.isArray(value.errors) && value.errors.length > 0
  return 'data' in value && typeof value.data === 'object' && value.data !== null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unreachable({ origin, port }: URL, error: unknown, { isWrite }: { isWrite: boolean }): AppError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : 'unknown'
  if (reason === 'bad port')
    return badInput(
      'remote',
      `--remote: port ${port} belongs to another protocol, so Node.js does not connect to it, nor do browsers. Let the portal listen on another port.`,
    )
  const unknown = isWrite ? ' It is not known whether this was done: check before you repeat it.' : ''
  const what = error instanceof TooLong ? error.message : `does not answer (${reason}).`
  return new AppError('UNAVAILABLE', { message: `${origin} ${what}${unknown}`, cause: error })
}
