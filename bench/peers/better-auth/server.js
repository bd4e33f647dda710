// better-auth with its plugin for API keys, and Yoga around it. Its rate limit is off (the default is ten a day), it
// defers what it can, telemetry is off, and its database has a write-ahead log that is not synced at every commit: it
// records each use of a key.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { GraphQLError } from 'graphql'
import { createSchema, createYoga } from 'graphql-yoga'
import { openFleet, options, SCHEMA } from '../fleet.js'

const fleet = openFleet(options.file)
const database = new DatabaseSync(join(options.folder, 'better-auth.db'))
database.exec('pragma journal_mode = wal; pragma synchronous = normal')

const secretsToCreate = options.secrets.values()

const settings = {
  database,
  baseURL: `http://127.0.0.1:${options.port}`,
  secret: 'only-for-the-bench-0123456789abcdef',
  telemetry: { enabled: false },
  advanced: { backgroundTasks: { handler: (task) => void setImmediate(task) } },
  plugins: [
    apiKey({
      customKeyGenerator: () => secretsToCreate.next().value, // so that all systems get the same bytes
      enableMetadata: true,
      rateLimit: { enabled: false },
      deferUpdates: true,
    }),
  ],
}
const auth = betterAuth(settings)
await (await getMigrations(settings)).runMigrations()
const { internalAdapter } = await auth.$context
const user = await internalAdapter.createUser({ email: 'bench@example.com', name: 'Bench', emailVerified: true })
for (const secret of options.secrets) {
  const organizationId = fleet.organizationOf(secret)
  await auth.api.createApiKey({ body: { userId: user.id, metadata: { organizationId } } })
}

const yoga = createYoga({
  schema: createSchema({
    typeDefs: SCHEMA,
    resolvers: { Query: { devices: (_root, { first }, ctx) => fleet.devicesOf(ctx.organizationId, first) } },
  }),
  async context({ request }) {
    const { valid, key } = await auth.api.verifyApiKey({ body: { key: request.headers.get('api-secret') ?? '' } })
    if (!valid) throw new GraphQLError('No such key.', { extensions: { http: { status: 401 } } })
    return { organizationId: key.metadata.organizationId }
  },
  graphiql: false,
  landingPage: false,
  logging: false,
})

createServer(yoga).listen(options.port, '127.0.0.1')
