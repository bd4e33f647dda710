import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server, request as send } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

type Alter = (headers: IncomingHttpHeaders) => IncomingHttpHeaders

/** A reverse proxy on a loopback port, which does to the headers of a request what it is told to. */
export async function startProxy(to: string, alter: Alter = (headers) => headers): Promise<string> {
  return listening((request, response) => {
    const { method, url, headers } = request
    const onward = send(new URL(url ?? '/', to), { method: method ?? 'GET', headers: alter(headers) }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
}

/** Some other web server. */
export const startOther = (status: number, headers: Record<string, string> = {}) =>
  listening((_request, response) => response.writeHead(status, headers).end('Hello'))

/** One whose certificate nobody trusts. */
export async function startUntrusted(): Promise<string> {
  const [key, cert] = ['localhost.key', 'localhost.crt'].map((name) =>
    readFileSync(join(import.meta.dirname, '..', 'tls', name)),
  )
  if (!key || !cert) throw new Error('There are two files.')
  const url = await listeningOn(createTlsServer({ key, cert }))
  return url.replace('http://127.0.0.1', 'https://localhost')
}

const listening = (handle: RequestListener) => listeningOn(createServer(handle))

async function listeningOn(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}
