import type { FastifyInstance } from 'fastify'

/** Bodies arrive as text and are parsed by the GraphQL handler, which reports invalid JSON. */
export function acceptTextBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, null))
}
