import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Received {
  headers: Record<string, string>
  body: string
}

/** What a receiver does with a request; by default it answers 204. */
type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown

/** A receiver of webhooks on this machine. */
export async function startReceiver(first: Answer = (_received, response) => response.writeHead(204).end()) {
  const received: Received[] = []
  let answer = first
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '')
    const headers = request.headers as Record<string, string> // the headers that are looked at are there once
    received.push({ headers, body })
    await answer({ headers, body }, response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    port,
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    answerWith(next: Answer) {
      answer = next
    },
    answerStatus(status: number, headers: Record<string, string> = {}) {
      answer = (_received, response) => response.writeHead(status, headers).end('x'.repeat(100))
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
