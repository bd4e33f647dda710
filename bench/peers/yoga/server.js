// A service with GraphQL Yoga, as in its documentation: on node:http, its parser and validation cache on (the default),
// no landing page, no GraphiQL, no logging, the schema built once.
import { createServer } from 'node:http'
import { GraphQLError } from 'graphql'
import { createSchema, createYoga } from 'graphql-yoga'
import { openFleet, options, SCHEMA } from '../fleet.js'

const fleet = openFleet(options.file)
const refused = () => new GraphQLError('No such key.', { extensions: { http: { status: 401 } } })

const yoga = createYoga({
  schema: createSchema({
    typeDefs: SCHEMA,
    resolvers: {
      Query: { devices: (_root, { first }, { organizationId }) => fleet.devicesOf(organizationId, first) },
    },
  }),
  context({ request }) {
    const organizationId = fleet.organizationOf(request.headers.get('api-secret') ?? '')
    if (!organizationId) throw refused()
    return { organizationId }
  },
  graphiql: false,
  landingPage: false,
  logging: false,
})

createServer(yoga).listen(options.port, '127.0.0.1')
