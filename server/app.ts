import { type FastifyInstance, fastify } from 'fastify'
import type { Deps } from './deps.ts'
import { authDoor } from './doors/auth.ts'
import { createGraphqlHandler } from './doors/graphql-handler.ts'
import { createKeyDoor } from './doors/key-door.ts'
import { createRateLimits } from './doors/rate-limit.ts'
import { sendFailure, toFailure } from './doors/refusal.ts'
import { sessionDoor } from './doors/session-door.ts'
import { MAX_BODY_BYTES } from './graphql/limits.ts'
import { type NoteAnswer, noteAnswers } from './http/answered.ts'
import { refuseNonHttp } from './http/client-error.ts'
import { headersOfAll } from './http/headers.ts'
import { health } from './http/health.ts'
import { createMetrics } from './http/metrics.ts'
import { createRefusalLog, type NoteRefused } from './http/refusal-log.ts'
import { createRequestLog } from './http/request-log.ts'
import { createHttpServer } from './http/server.ts'
import { web } from './http/web.ts'
import { Failure } from './lib/failure.ts'
import { createRequestIds } from './lib/id.ts'
import { connectValkey } from './lib/valkey.ts'
import { mailSealOf } from './mail/sealed.ts'
import { schema } from './schema.ts'

/** All wiring, and nothing else; it does not listen. */
export async function createApp(deps: Deps): Promise<FastifyInstance> {
  const { config, log, now } = deps
  const valkey = config.valkeyUrl && (await connectValkey(config.valkeyUrl, log, deps.valkeyTimeouts))
  const { rateLimit: perSecond } = config
  const limits = perSecond ? createRateLimits({ perSecond, burstSeconds: deps.burstSeconds }, now, valkey) : undefined
  const mailSeal = mailSealOf(config)
  const answer = createGraphqlHandler(schema, log, mailSeal)
  const newRequestId = createRequestIds(now())
  const metrics = createMetrics(deps)
  const logAnswer = createRequestLog(log)
  const noteAnswer: NoteAnswer = (answered) => {
    logAnswer(answered)
    metrics.count(answered)
  }
  const logRefused = createRefusalLog(log)
  const noteRefused: NoteRefused = (refused) => {
    logRefused(refused)
    metrics.countRefused(refused.codes)
  }
  const headers = headersOfAll(config)
  const keyDoor = createKeyDoor(deps, { answer, limits, newRequestId, noteAnswer, noteRefused })

  const app = fastify({
    serverFactory: (others) => createHttpServer({ api: keyDoor.handle, others, headers }),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: config.trustProxy,
    clientErrorHandler: (error, socket) => refuseNonHttp(error, socket, log, headers),
    genReqId: newRequestId,
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => {
      log.info({ requestId: request.id, code: error.code }, 'request refused')
      return sendFailure(reply, toFailure(error, log))
    },
  })
  app.setErrorHandler((error, _request, reply) => sendFailure(reply, toFailure(error, log)))
  app.setNotFoundHandler((_request, reply) =>
    sendFailure(reply, new Failure('NOT_FOUND', { says: 'Nothing is here. The API is at POST /graphql.' })),
  )
  noteAnswers(app, noteAnswer)
  app.addHook('onClose', async () => {
    await keyDoor.close()
    await valkey?.close()
  })
  await app.register(sessionDoor(deps, { answer, limits, noteRefused }))
  await app.register(authDoor(deps, { valkey, mailSeal }))
  await app.register(health(deps))
  await app.register(metrics.route)
  await app.register(web(deps))
  return app
}
