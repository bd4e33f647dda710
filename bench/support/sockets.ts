import { connect, type Socket } from 'node:net'

const KEPT_MS = 1000 // some servers close a connection after five idle seconds

const BYTES_AT_ONCE = 65_536

/** A connection, and who gets what it reads: bytes that are overwritten by the next ones. */
export interface Connection {
  readonly socket: Socket
  receive: (bytes: Buffer) => void
}

const kept = new Map<string, { connections: Connection[]; since: number }>()

/** Provides connections to servers in turn, and keeps them open for the next turn, so that opening them is not measured. */
export async function withConnections<Result>(
  ports: readonly number[],
  count: number,
  work: (connections: Connection[]) => Promise<Result>,
): Promise<Result> {
  const name = `${ports} ${count}`
  const portOf = (i: number) => ports[i % ports.length] ?? 0
  const connections = takeKept(name) ?? (await Promise.all(Array.from({ length: count }, (_, i) => open(portOf(i)))))
  try {
    const result = await work(connections)
    kept.set(name, { connections, since: performance.now() })
    return result
  } catch (error) {
    close(connections)
    throw error
  }
}

function takeKept(name: string): Connection[] | undefined {
  const { connections = [], since = 0 } = kept.get(name) ?? {}
  kept.delete(name)
  const areOpen = connections.length > 0 && connections.every(({ socket }) => socket.readyState === 'open')
  if (areOpen && performance.now() - since < KEPT_MS) return connections
  close(connections)
  return undefined
}

/** It reads into memory of its own: a new buffer for each read would be a quarter of what a request costs here. */
function open(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const callback = (length: number, bytes: Uint8Array) => {
      connection.receive(Buffer.from(bytes.buffer, bytes.byteOffset, length))
      return true
    }
    const onread = { buffer: Buffer.allocUnsafeSlow(BYTES_AT_ONCE), callback }
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread }, () => resolve(connection))
    const connection: Connection = { socket, receive: () => {} }
    socket.once('error', reject)
  })
}

function close(connections: Connection[]): void {
  for (const { socket } of connections) socket.destroy()
}
