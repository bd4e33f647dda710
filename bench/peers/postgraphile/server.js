// PostGraphile on the portal's own PostgreSQL database, with its cache of plans and prepared statements on (the
// default), no GraphiQL, no watching. It reads the tables itself; a plan of two fields names them as the portal does, so
// that all systems send the same bytes. The key is looked up before the request is passed on, by the same pool.

import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import pg from 'pg'
import { postgraphile } from 'postgraphile'
import { TYPES } from 'postgraphile/@dataplan/pg'
import { makePgService } from 'postgraphile/adaptors/pg'
import { context, object } from 'postgraphile/grafast'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { extendSchema } from 'postgraphile/utils'

/** Passed as JSON in the first argument: port, url. */
const options = JSON.parse(process.argv[2] ?? '{}')
const pool = new pg.Pool({ connectionString: options.url })

async function organizationOf(secret) {
  const { rows } = await pool.query({
    name: 'key',
    text: 'select "organizationId", "expiresAt" from "apiKey" where "secretHash" = $1',
    values: [hash('sha256', secret, 'buffer')],
  })
  const [key] = rows
  return key && (key.expiresAt === null || Number(key.expiresAt) > Date.now()) ? key.organizationId : undefined
}

const fleet = extendSchema(({ input, sql }) => {
  const { device } = input.pgRegistry.pgResources
  return {
    typeDefs: `
      extend type Query { devices(first: Int = 100): FleetPage! }
      type FleetPage { data: [FleetDevice!]! }
      type FleetDevice { id: ID! name: String! }
    `,
    objects: {
      Query: {
        plans: {
          devices(_root, { $first }) {
            const $devices = device.find({ organizationId: context().get('organizationId') })
            for (const attribute of ['nameKey', 'id'])
              $devices.orderBy({
                fragment: sql`${$devices}.${sql.identifier(attribute)}`,
                codec: TYPES.text,
                direction: 'ASC',
              })
            $devices.setFirst($first)
            return object({ data: $devices })
          },
        },
      },
      FleetPage: { plans: { data: ($page) => $page.get('data') } },
      FleetDevice: { plans: { id: ($device) => $device.get('id'), name: ($device) => $device.get('name') } },
    },
  }
})

const portal = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [fleet],
  pgServices: [makePgService({ pool, schemas: ['public'] })],
  grafserv: { graphiql: false, watch: false },
  grafast: { context: ({ node }) => ({ organizationId: node?.req.organizationId }) },
})
const handle = portal.createServ(grafserv).createHandler()

createServer(async (request, response) => {
  request.organizationId = await organizationOf(request.headers['api-secret'] ?? '')
  if (request.organizationId) return handle(request, response)
  response.writeHead(401, { 'content-type': 'application/json' })
  response.end('{"errors":[{"message":"No such key."}]}')
}).listen(options.port, '127.0.0.1')
