import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Bodies arrive as text and are parsed by the GraphQL handler, which reports invalid JSON. */
export function acceptTextBodies(
  app: FastifyInstance,
  read: (request: FastifyRequest) => Promise<string | null>,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', read)
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, null))
}
