import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Stands before a portal on a port of its own. While it is stopped, nothing listens there, as when the portal is down. */
export async function startOutageProxy(portal: string) {
  const { hostname, port } = new URL(portal)
  const sockets = new Set<Socket>()
  const server = createServer((caller) => {
    const onward = connect(Number(port), hostname)
    for (const [one, other] of [
      [caller, onward],
      [onward, caller],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await listen(server, 0)
  const own = (server.address() as AddressInfo).port // it listens on a port
  const stop = async () => {
    if (!server.listening) return
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  }
  onTestFinished(stop)
  return { url: `http://${hostname}:${own}`, stop, start: () => listen(server, own) }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}
