import { connect, type Socket } from 'node:net'

const KEPT_MS = 1000 // some servers close a connection after five idle seconds

const kept = new Map<string, { sockets: Socket[]; since: number }>()

/** Provides connections to a server, and keeps them open for the next turn, so that opening them is not measured. */
export async function withSockets<Result>(
  port: number,
  count: number,
  work: (sockets: Socket[]) => Promise<Result>,
): Promise<Result> {
  const name = `${port} ${count}`
  const sockets = takeKept(name) ?? (await Promise.all(Array.from({ length: count }, () => open(port))))
  try {
    const result = await work(sockets)
    kept.set(name, { sockets, since: performance.now() })
    return result
  } catch (error) {
    close(sockets)
    throw error
  }
}

function takeKept(name: string): Socket[] | undefined {
  const { sockets = [], since = 0 } = kept.get(name) ?? {}
  kept.delete(name)
  const areOpen = sockets.length > 0 && sockets.every(({ readyState }) => readyState === 'open')
  if (areOpen && performance.now() - since < KEPT_MS) return sockets
  close(sockets)
  return undefined
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

function close(sockets: Socket[]): void {
  for (const socket of sockets) socket.destroy()
}
