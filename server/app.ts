import { type FastifyInstance, fastify } from 'fastify'
import type { Deps } from './deps.ts'
import { authDoor } from './doors/auth.ts'
import { createGraphqlHandler } from './doors/graphql-handler.ts'
import { keyDoor } from './doors/key-door.ts'
import { createRateLimits } from './doors/rate-limit.ts'
import { sendFailure, toFailure } from './doors/refusal.ts'
import { sessionDoor } from './doors/session-door.ts'
import { MAX_BODY_BYTES } from './graphql/limits.ts'
import { refuseNonHttp } from './http/client-error.ts'
import { health } from './http/health.ts'
import { addMetrics } from './http/metrics.ts'
import { addRequestLog } from './http/request-log.ts'
import { web } from './http/web.ts'
import { SECOND } from './lib/clock.ts'
import { Failure } from './lib/failure.ts'
import { createRequestIds } from './lib/id.ts'
import { connectValkey } from './lib/valkey.ts'
import { schema } from './schema.ts'

/** All wiring, and nothing else; it does not listen. */
export async function createApp(deps: Deps): Promise<FastifyInstance> {
  const { config, log, now } = deps
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: config.trustProxy,
    requestTimeout: 30 * SECOND,
    http: { connectionsCheckingInterval: SECOND },
    clientErrorHandler: (error, socket) => refuseNonHttp(error, socket, log),
    genReqId: createRequestIds(now()),
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
  addRequestLog(app, log)
  addMetrics(app, deps.database)

  const valkey = config.valkeyUrl && (await connectValkey(config.valkeyUrl, log))
  app.addHook('onClose', async () => valkey?.close())
  const limits = config.rateLimit === undefined ? undefined : createRateLimits(config.rateLimit, now, valkey)
  const answer = createGraphqlHandler(schema, log)
  await app.register(keyDoor(deps, answer, limits))
  await app.register(sessionDoor(deps, answer, limits))
  await app.register(authDoor(deps, valkey))
  await app.register(health(deps))
  await app.register(web(deps))
  return app
}
