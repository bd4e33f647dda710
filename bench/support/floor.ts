// The floor: a bare node:http server that answers every request with the same SQL and the same bytes as the portal does,
// without a key and without GraphQL.
import { createServer } from 'node:http'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** Passed as JSON in the first argument. */
export interface FloorOptions {
  port: number
  file: string
  sql: string
  parameters: SQLInputValue[]
  pageSize: number
  headers: Record<string, string>
}

const options: FloorOptions = JSON.parse(process.argv[2] ?? '{}')
const { port, file, sql, parameters, pageSize, headers } = options
const database = new DatabaseSync(file, { readOnly: true, timeout: 0 })
const page = database.prepare(sql)

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const data = page
      .all(...parameters)
      .slice(0, pageSize)
      .map(({ id, name }) => ({ id, name }))
    const body = JSON.stringify({ data: { devices: { data } } })
    response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.keepAliveTimeout = 72_000
server.listen(port, '127.0.0.1')
