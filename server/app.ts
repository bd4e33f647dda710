import { type FastifyInstance, fastify } from 'fastify'
import { addForbidden, createRefusals } from './audit/refusals.ts'
import type { Deps } from './caller/deps.ts'
import { authRoutes } from './endpoints/auth/auth-routes.ts'
import { docsRoute } from './endpoints/docs/docs-route.ts'
import { sendMissingPage } from './endpoints/docs/not-found.ts'
import { createGraphql } from './endpoints/graphql/answer.ts'
import { createApiRoute } from './endpoints/graphql/route.ts'
import { leaksRoute } from './endpoints/leaks/leaks-route.ts'
import { createMcpAnswer } from './endpoints/mcp/handler.ts'
import { portalRoute } from './endpoints/portal/portal-route.ts'
import { createRateLimits } from './endpoints/rate-limit.ts'
import { schema } from './endpoints/schema.ts'
import { MAX_BODY_BYTES, MAX_BULK_BYTES } from './graphql/operation-limits.ts'
import { createRecordRequest, recordRequests } from './http/access-log.ts'
import { refuseCompressedBodies } from './http/body.ts'
import { createBulkBodies } from './http/bulk-body.ts'
import { createNonHttpRefusal } from './http/client-error.ts'
import { createCors } from './http/cors.ts'
import { sendError, toAppError } from './http/error-response.ts'
import { headersOfAll, REQUEST_ID } from './http/headers.ts'
import { health } from './http/health.ts'
import { createMetrics } from './http/metrics.ts'
import { createRefusalLog, type RecordRefusedOperation } from './http/refusal-log.ts'
import { seenHeaders } from './http/seen-headers.ts'
import { createHttpServer } from './http/server.ts'
import { readTypefaces } from './http/typefaces.ts'
import { web } from './http/web.ts'
import { AppError } from './lib/app-error.ts'
import { createClientAddress, sourceOf } from './lib/client-address.ts'
import { createRequestIds } from './lib/id.ts'
import type { Shared } from './lib/limiter.ts'
import { once } from './lib/once.ts'
import { connectValkey } from './lib/valkey.ts'
import { emailEncryptionOf } from './mail/encrypted-links.ts'
import { portalSecretOf } from './mail/secret-file.ts'
import { isReserved } from './organizations/slug.ts'

/** About OAuth because clients of MCP look for it after a refused key, and show this in place of that refusal. */
const NOTHING_HERE = new AppError('NOT_FOUND', {
  message:
    'There is nothing at this path. The API is at POST /graphql and takes an API key in the api-secret header (no OAuth). Its documents are at /docs/.',
})

const refuseSchema = (): never => {
  throw new Error('Routes have no JSON schemas here: our own code checks what comes in.')
}

/** For Fastify, which else loads and prepares two compilers for the JSON schemas of routes. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } }

/** All wiring, and nothing else. Does not listen. */
export async function createApp(deps: Deps): Promise<FastifyInstance> {
  const { config, log, now } = deps
  const valkey = config.valkeyUrl && (await connectValkey(config.valkeyUrl, log, deps.valkeyTimeouts))
  const { rateLimit: perSecond } = config
  const shared: Shared = valkey ? { valkey } : { parent: deps.parentCounts }
  const limits = createRateLimits({ perSecond, burstSeconds: deps.burstSeconds }, now, shared)
  const graphql = createGraphql(schema, log, () => portalSecretOf(config))
  const newRequestId = createRequestIds(now())
  const metrics = createMetrics(deps)
  const recordRequest = createRecordRequest(log, metrics.registry)
  const logRefusedOperation = createRefusalLog(log)
  const refusals = createRefusals(deps)
  const recordRefusedOperation: RecordRefusedOperation = (refused) => {
    logRefusedOperation(refused)
    metrics.countRefusedOperation(refused.codes)
    addForbidden(refusals, refused)
  }
  const headers = headersOfAll(config)
  const cors = createCors(config)
  const addressOf = createClientAddress(config)
  const bulkOf = createBulkBodies(MAX_BULK_BYTES)
  const apiRoute = createApiRoute(deps, {
    endpoints: { '/graphql': graphql.answer, '/mcp': createMcpAnswer({ schema, graphql, config, log }) },
    addressOf,
    limits,
    newRequestId,
    cors,
    recordRequest,
    recordRefusedOperation,
    bulkOf,
    refusals,
  })

  const app = fastify({
    serverFactory: (others) =>
      createHttpServer({
        api: apiRoute.handle,
        others,
        headers,
        newRequestId,
        cors,
        sourceOf: (request) => sourceOf(addressOf(request)),
      }),
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
  const typefaces = once(() => readTypefaces(deps.webDir))
  app.setNotFoundHandler((_request, reply) => sendMissingPage(reply, typefaces) ?? sendError(reply, NOTHING_HERE))
  recordRequests(app, recordRequest)
  refuseCompressedBodies(app)
  app.addHook('onClose', async () => {
    await Promise.all([apiRoute.close(), refusals.close()])
    await valkey?.close()
  })
  await app.register(portalRoute(deps, { answer: graphql.answer, limits, recordRefusedOperation, bulkOf }))
  await app.register(authRoutes(deps, { limits, shared, emailEncryption: emailEncryptionOf(config) }))
  await app.register(leaksRoute(deps, { limits }))
  await app.register(health(deps))
  await app.register(seenHeaders(deps))
  await app.register(metrics.route)
  await app.register(docsRoute(deps, schema, typefaces))
  await app.register(web(deps, { isReserved }))
  return app
}
