// Less than the floor: a bare node:http server that answers every request with the same bytes, and does nothing else.
import { createServer } from 'node:http'

/** Passed as JSON in the first argument. */
export interface EmptyOptions {
  port: number
  body: string
  headers: Record<string, string>
}

const { port, body, headers }: EmptyOptions = JSON.parse(process.argv[2] ?? '{}')
const bytes = Buffer.from(body)

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { ...headers, 'content-length': bytes.length })
    response.end(bytes)
  })
})
server.keepAliveTimeout = 72_000
server.listen(port, '127.0.0.1')
