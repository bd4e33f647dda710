// The floor: a bare node:http server that answers every request with the same SQL and the same bytes as the portal does,
// without GraphQL, and without a key or with the lookup of the key as well.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** Passed as JSON in the first argument. */
export interface FloorOptions {
  port: number
  file: string
  page: LearnedQuery
  /** With it the secret of each request is hashed and looked up; without it nobody asks who calls. */
  key?: LearnedQuery
  pageSize: number
  headers: Record<string, string>
}

export interface LearnedQuery {
  sql: string
  /** In place of null stands the hash of the secret. */
  parameters: (string | number | null)[]
}

const options: FloorOptions = JSON.parse(process.argv[2] ?? '{}')
const { port, file, pageSize, headers } = options
const database = new DatabaseSync(file, { readOnly: true, timeout: 0 })
const prepare = ({ sql, parameters }: LearnedQuery) => {
  const statement = database.prepare(sql)
  return (hash: SQLInputValue) => statement.all(...parameters.map((value) => value ?? hash))
}
const page = prepare(options.page)
const key = options.key && prepare(options.key)

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    const secret = String(request.headers['api-secret'])
    if (key?.(createHash('sha256').update(secret).digest()).length === 0) return void response.writeHead(401).end()
    const data = page(null)
      .slice(0, pageSize)
      .map(({ id, name }) => ({ id, name }))
    const body = JSON.stringify({ data: { devices: { data } } })
    response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
server.keepAliveTimeout = 72_000
server.listen(port, '127.0.0.1')
