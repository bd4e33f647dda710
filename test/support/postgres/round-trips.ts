import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a database on which every round trip is counted. */
export interface CountedWay {
  /** The address of the database, by this way. */
  url: string
  /** How often somebody has said something and waited for an answer, on all connections together. */
  roundTrips(): number
  close(): Promise<void>
}

/**
 * Passes on what goes to the database of an address. Whatever is said before the answer begins is one round trip, so what
 * the protocol is like does not matter, nor whether it is encrypted.
 */
export async function countRoundTrips(address: string): Promise<CountedWay> {
  const url = new URL(address)
  const to = { host: url.hostname, port: Number(url.port || 5432), noDelay: true }
  const sockets = new Set<Socket>()
  let roundTrips = 0

  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect(to)
    let isAnswered = true
    client.on('data', () => {
      if (isAnswered) roundTrips++
      isAnswered = false
    })
    server.on('data', () => {
      isAnswered = true
    })
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {}) // what follows is 'close'
      socket.on('close', () => sockets.delete(socket))
    }
    client.pipe(server).pipe(client)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo // as long as it listens on a port
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    roundTrips: () => roundTrips,
    async close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
      await once(listener, 'close')
    },
  }
}
