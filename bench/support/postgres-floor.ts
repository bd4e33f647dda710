// The floor on PostgreSQL: a bare node:http server that asks the same two queries as the portal does, one after the other,
// through the same driver with its own pool, and answers with the same bytes: no GraphQL, and no check of the key.
import { createServer } from 'node:http'
import postgres from 'postgres'

/** Passed as JSON in the first argument. */
export interface PostgresFloorOptions {
  port: number
  url: string
  connections: number
  key: PostgresQuery
  page: PostgresQuery
  pageSize: number
  headers: Record<string, string>
}

export interface PostgresQuery {
  text: string
  /** As they are sent. */
  parameters: (string | null)[]
}

const options: PostgresFloorOptions = JSON.parse(process.argv[2] ?? '{}')
const { port, url, connections, key, page, pageSize, headers } = options
const sql = postgres(url, { max: connections, fetch_types: false, onnotice: () => {} })
const ask = ({ text, parameters }: PostgresQuery) => sql.unsafe(text, [...parameters], { prepare: true })

const server = createServer((request, response) => {
  request.resume()
  request.on('end', async () => {
    await ask(key)
    const rows = await ask(page)
    const data = rows.slice(0, pageSize).map(({ id, name }) => ({ id, name }))
    const body = JSON.stringify({ data: { devices: { data } } })
    response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.keepAliveTimeout = 72_000
server.listen(port, '127.0.0.1')
