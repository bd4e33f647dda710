import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, fastify } from 'fastify'
import { createRefusals, noteForbidden } from './audit/refusals.ts'
import type { Deps } from './deps.ts'
import { MAX_BODY_BYTES, MAX_BULK_BYTES } from './graphql/limits.ts'
import { type RecordRequest, recordRequests } from './http/access-log.ts'
import { createBulkBodies } from './http/bulk-body.ts'
import { createClientAddress } from './http/client-address.ts'
import { createNonHttpRefusal } from './http/client-error.ts'
import { refuseCompressedBodies } from './http/content-encoding.ts'
import { createCors } from './http/cors.ts'
import { headersOfAll, REQUEST_ID } from './http/headers.ts'
import { health } from './http/health.ts'
import { createMetrics } from './http/metrics.ts'
import { NO_SCHEMAS } from './http/no-schemas.ts'
import { sendMissingPage } from './http/not-found.ts'
import { createRefusalLog, type RecordRefusal } from './http/refusal-log.ts'
import { createRequestLog } from './http/request-log.ts'
import { seenHeaders } from './http/seen-headers.ts'
import { createHttpServer } from './http/server.ts'
import { web } from './http/web.ts'
import { AppError } from './lib/app-error.ts'
import { createRequestIds } from './lib/id.ts'
import type { Shared } from './lib/leases/shared.ts'
import { sourceOf } from './lib/source.ts'
import { connectValkey } from './lib/valkey.ts'
import { emailEncryptionOf } from './mail/encrypted-links.ts'
import { portalSecretOf } from './mail/secret-file.ts'
import { isReserved } from './organizations/slug.ts'
import { authRoutes } from './routes/auth-routes.ts'
import { docsRoute } from './routes/docs-route.ts'
import { sendError, toAppError } from './routes/error-response.ts'
import { createGraphql } from './routes/graphql/answer.ts'
import { createApiRoute } from './routes/graphql/route.ts'
import { createKeyLimits } from './routes/key-limits.ts'
import { leaksRoute } from './routes/leaks-route.ts'
import { createMcpAnswer } from './routes/mcp/handler.ts'
import { portalRoute } from './routes/portal-route.ts'
import { createRateLimits } from './routes/rate-limit.ts'
import { schema } from './schema.ts'

/** About OAuth because clients of MCP look for it after a refused key, and show this in place of that refusal. */
const NOTHING_HERE = new AppError('NOT_FOUND', {
  message:
    'There is nothing at this path. The API is at POST /graphql and takes an API key in the api-secret header (no OAuth). Its documents are at /docs/.',
})

/** All wiring, and nothing else. Does not listen. */
export async function createApp(deps: Deps): Promise<FastifyInstance> {
  const { config, log, now } = deps
  const valkey = config.valkeyUrl && (await connectValkey(config.valkeyUrl, log, deps.valkeyTimeouts))
  const { rateLimit: perSecond } = config
  const together: Shared = valkey ? { valkey } : { leases: deps.leases }
  const limits = perSecond ? createRateLimits({ perSecond, burstSeconds: deps.burstSeconds }, now, together) : undefined
  const keyLimits = createKeyLimits(now, together)
  const graphql = createGraphql(schema, log, () => portalSecretOf(config))
  const newRequestId = createRequestIds(now())
  const metrics = createMetrics(deps)
  const logAnswer = createRequestLog(log)
  const recordRequest: RecordRequest = (answered) => {
    logAnswer(answered)
    metrics.count(answered)
  }
  const logRefused = createRefusalLog(log)
  const refusals = createRefusals(deps)
  const recordRefusal: RecordRefusal = (refused) => {
    logRefused(refused)
    metrics.countRefused(refused.codes)
    noteForbidden(refusals, refused)
  }
  const headers = headersOfAll(config)
  const cors = createCors(config)
  const clientAddress = createClientAddress(config)
  const from = (request: IncomingMessage) => sourceOf(clientAddress.address(request))
  const bulkOf = createBulkBodies(MAX_BULK_BYTES)
  const apiRoute = createApiRoute(deps, {
    endpoints: { '/graphql': graphql.answer, '/mcp': createMcpAnswer({ schema, graphql, config, log }) },
    limits,
    keyLimits,
    newRequestId,
    cors,
    recordRequest,
    recordRefusal,
    bulkOf,
    refusals,
  })

  const app = fastify({
    serverFactory: (others) =>
      createHttpServer({ api: apiRoute.handle, others, headers, newRequestId, cors, sourceOf: from }),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: config.trustProxy,
    clientErrorHandler: createNonHttpRefusal(log, headers, newRequestId),
    requestIdHeader: REQUEST_ID, // set by createHttpServer
    routerOptions: { ignoreTrailingSlash: true },
    schemaController: NO_SCHEMAS,
    frameworkErrors: (error, request, reply) => {
      log.info({ requestId: request.id, code: error.code }, 'request refused')
      return sendError(reply, toAppError(error, log))
    },
  })
  app.setErrorHandler((error, { routeOptions }, reply) =>
    sendError(reply, toAppError(error, log, routeOptions.bodyLimit)),
  )
  app.setNotFoundHandler((_request, reply) => sendMissingPage(reply) ?? sendError(reply, NOTHING_HERE))
  recordRequests(app, recordRequest)
  refuseCompressedBodies(app)
  app.addHook('onClose', async () => {
    await Promise.all([apiRoute.close(), refusals.close()])
    await deps.leases?.close()
    await valkey?.close()
  })
  await app.register(portalRoute(deps, { answer: graphql.answer, limits, recordRefusal, bulkOf }))
  await app.register(authRoutes(deps, { together, emailEncryption: emailEncryptionOf(config) }))
  await app.register(leaksRoute(deps, { limits }))
  await app.register(health(deps))
  await app.register(seenHeaders(deps))
  await app.register(metrics.route)
  await app.register(docsRoute(deps, schema))
  await app.register(web(deps, { isReserved }))
  return app
}
