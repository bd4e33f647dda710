import { once } from 'node:events'
import { connect } from 'node:net'

export interface HeldCall {
  /** Sends what was held back, and gives the answer. */
  finish(): Promise<{ status: number; head: string; body: string; codes: string[] }>
  close(): void
}

interface Held {
  path?: string
  headers: Record<string, string>
  body: object
  /** How many characters of the body go with the head. */
  sent?: number
}

/** A POST whose head has gone out and been read by the server, and whose body has not. */
export async function holdBack(url: string, { path = '/graphql', headers, body, sent = 0 }: Held): Promise<HeldCall> {
  const text = JSON.stringify(body)
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding('utf8')
  const fields = Object.entries({ host, 'content-type': 'application/json', 'content-length': text.length, ...headers })
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'connect')
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  // The server says 100 once it has read the head and handed the request on.
  socket.write(
    `POST ${path} HTTP/1.1\r\nconnection: close\r\nexpect: 100-continue\r\n${head}\r\n${text.slice(0, sent)}`,
  )
  while (!received.includes('100 Continue')) await once(socket, 'data')
  received = ''
  return {
    async finish() {
      if (!socket.readableEnded) {
        socket.write(text.slice(sent))
        await once(socket, 'end')
      }
      return answerIn(received)
    },
    close: () => socket.destroy(),
  }
}

function answerIn(received: string) {
  const end = received.indexOf('\r\n\r\n')
  const body = received.slice(end + 4)
  const { errors = [] } = JSON.parse(body) as { errors?: { extensions: { code: string } }[] } // the one shape of errors
  return {
    status: Number(received.slice(9, 12)),
    head: received.slice(0, end),
    body,
    codes: errors.map(({ extensions }) => extensions.code),
  }
}
