// Apollo Server as in its documentation: its standalone server on node:http, its cache of parsed documents on (the
// default), no introspection, no landing page, nothing reported. Without a line break at the end of an answer, so that
// all systems send the same bytes.
import { ApolloServer } from '@apollo/server'
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled'
import { startStandaloneServer } from '@apollo/server/standalone'
import { GraphQLError } from 'graphql'
import { openFleet, options, SCHEMA } from '../fleet.js'

const fleet = openFleet(options.file)
const refused = () => new GraphQLError('No such key.', { extensions: { http: { status: 401 } } })

const server = new ApolloServer({
  typeDefs: SCHEMA,
  resolvers: {
    Query: { devices: (_root, { first }, { organizationId }) => fleet.devicesOf(organizationId, first) },
  },
  introspection: false,
  plugins: [ApolloServerPluginLandingPageDisabled()],
  stringifyResult: (result) => JSON.stringify(result),
})

await startStandaloneServer(server, {
  async context({ req }) {
    const organizationId = fleet.organizationOf(req.headers['api-secret'] ?? '')
    if (!organizationId) throw refused()
    return { organizationId }
  },
  listen: { port: options.port, host: '127.0.0.1' },
})
