import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createSenderKeys } from '../../api-keys/leaks/public-keys.ts'
import { isSignedBy, parseReport, signedHeaders } from '../../api-keys/leaks/report.ts'
import { answerReport } from '../../api-keys/leaks/scanner-report.ts'
import type { Deps } from '../../caller/deps.ts'
import { originOf } from '../../config.ts'
import { sendError, toAppError } from '../../http/error-response.ts'
import { AppError } from '../../lib/app-error.ts'
import { sourceOf } from '../../lib/client-address.ts'
import type { RateLimits } from '../rate-limit.ts'

/** Fits the most entries that a report may have, each with a long address. */
const MAX_REPORT_BYTES = 512 * 1024

const NO_SENDERS = 'This portal accepts no reports of leaked keys: its operator has not set LEAK_KEYS.'
const NOT_VERIFIED =
  'This report is not signed by a known sender. Sign the body as it is sent, in Github-Public-Key-Identifier and Github-Public-Key-Signature.'

/**
 * `/leaks`: reports of leaked secrets, in the format of GitHub's secret scanning. Nothing of a report is looked at before
 * its signature is verified over the bytes as they came.
 */
export function leaksRoute(deps: Deps, { limits }: { limits: RateLimits }) {
  const { config, database, now, log } = deps
  const answerWithinMs = deps.leakKeysAnswerWithinMs
  const senders = config.leakKeys && createSenderKeys(config.leakKeys, { now, log, answerWithinMs })

  /** Counted as a refused key is: a report that is verified is accepted from that source all the same. */
  async function refuse(request: FastifyRequest, message: string): Promise<never> {
    await limits.countRefusedKey(sourceOf(request.ip))
    throw new AppError('UNAUTHENTICATED', { message, challenge: 'Signature realm="leaks"' })
  }

  /** Before the body is read: without a known sender it is of no interest. */
  async function requireSender(request: FastifyRequest) {
    if (request.method !== 'POST') throw new AppError('BAD_REQUEST', { status: 405, message: 'Use POST.' })
    if (!senders) return refuse(request, NO_SENDERS)
    const signed = signedHeaders(request.headers)
    const key = signed && (await senders.find(signed.identifier))
    return signed && key ? { key, signature: signed.signature } : refuse(request, NOT_VERIFIED)
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { key, signature } = await requireSender(request) // once more: the body may have taken its time
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    if (!isSignedBy(key, body, signature)) return refuse(request, NOT_VERIFIED)
    const answer = await answerReport({ database, now, log, origin: originOf(config) }, parseReport(body))
    return reply.send(answer)
  }

  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.setErrorHandler((error, { routeOptions }, reply) =>
      sendError(reply, toAppError(error, log, routeOptions.bodyLimit)),
    )
    const onRequest = async (request: FastifyRequest) => void (await requireSender(request))
    app.all('/leaks', { bodyLimit: MAX_REPORT_BYTES, onRequest }, handle)
  }
}
