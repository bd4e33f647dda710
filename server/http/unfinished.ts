import type { IncomingMessage } from 'node:http'
import { AppError } from '../lib/app-error.ts'
import { SECOND } from '../lib/clock.ts'
import { LIMITS, noteLimitRefusal, rateLimited } from '../limits.ts'
import { isBodyBuffered } from './http-io.ts'

const MESSAGE = 'Too many requests with an incomplete body. Send complete requests.'

/**
 * Requests whose headers arrived without the whole body: each occupies a connection and some memory until the rest
 * arrives or times out. A source with too many of them is refused further requests with a body. A complete request
 * costs one check.
 */
export function createUnfinished(sourceOf: (request: IncomingMessage) => string) {
  const bySource = new Map<string, number>()
  let all = 0
  /** Those whose heads arrived in this iteration of the event loop. */
  let recent: IncomingMessage[] = []

  function count(source: string, more: number): void {
    all += more
    const ofSource = (bySource.get(source) ?? 0) + more
    if (ofSource > 0) bySource.set(source, ofSource)
    else bySource.delete(source)
  }

  /** When the parser has delivered what came with the head. */
  function countUnlessComplete(request: IncomingMessage): void {
    if (isBodyBuffered(request) || !hasBody(request) || request.complete || request.destroyed) return
    const source = sourceOf(request)
    count(source, 1)
    request.once('close', () => count(source, -1)) // all of it was read, or the connection is closed
  }

  function countRecent(): void {
    const arrived = recent
    recent = []
    for (const request of arrived) countUnlessComplete(request)
  }

  return {
    /** Why this request is refused, if it is. */
    refusalOf(request: IncomingMessage): AppError | undefined {
      if (all + recent.length < LIMITS.unfinished_requests_of_source || !hasBody(request)) return undefined
      countRecent()
      const ofSource = bySource.get(sourceOf(request)) ?? 0
      if (ofSource >= LIMITS.unfinished_requests_of_source)
        return rateLimited('unfinished_requests_of_source', SECOND, MESSAGE)
      if (all < LIMITS.unfinished_requests) return undefined
      noteLimitRefusal('unfinished_requests')
      return new AppError('UNAVAILABLE')
    },
    /** The head of this request has arrived; whether its body has too is known a little later. */
    add(request: IncomingMessage): void {
      if (recent.push(request) === 1) setImmediate(countRecent)
    },
  }
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
