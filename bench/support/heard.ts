import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { PostgresQuery } from './postgres-floor.ts'

/** A way to a PostgreSQL server on which the queries are heard. */
export interface HeardWay {
  /** The address of the database, by this way. */
  url: string
  /** The queries with parameters so far. */
  queries: PostgresQuery[]
  close(): void
}

/** Passes on what is sent to the database of an address, in a protocol that is not encrypted. */
export async function hearQueries(address: string): Promise<HeardWay> {
  const url = new URL(address)
  const to = { host: url.hostname, port: Number(url.port), noDelay: true }
  const queries: PostgresQuery[] = []
  const listener = createServer({ noDelay: true }, (client) => {
    const queriesIn = createReader()
    client.on('data', (bytes) => void queries.push(...queriesIn(bytes)))
    const server = connect(to)
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) socket.on('error', () => {}) // what follows is 'close'
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}` // as long as it listens on a port
  url.search = 'sslmode=disable'
  return { url: url.href, queries, close: () => void listener.close() }
}

/** Reads what a client says: statements by name when they are parsed (P), and their values when they are bound (B). */
function createReader(): (bytes: Buffer) => PostgresQuery[] {
  const prepared = new Map<string, string>()
  let held = Buffer.alloc(0)
  let hasStarted = false
  return (bytes) => {
    const queries: PostgresQuery[] = []
    held = Buffer.concat([held, bytes])
    for (;;) {
      const length = lengthOf(held, hasStarted)
      if (held.length < length) return queries
      const message = held.subarray(0, length)
      held = held.subarray(length)
      const type = hasStarted ? String.fromCharCode(message[0] ?? 0) : 'startup'
      hasStarted = true
      const [first = '', second = ''] = message.toString('utf8', 5).split('\0', 2)
      if (type === 'P') prepared.set(first, second)
      if (type !== 'B') continue
      const from = 5 + Buffer.byteLength(first) + 1 + Buffer.byteLength(second) + 1
      queries.push({ text: prepared.get(second) ?? '', parameters: parametersIn(message, from) })
    }
  }
}

/** The first message of a connection has no type. */
function lengthOf(held: Buffer, hasStarted: boolean): number {
  if (held.length < 5) return Number.POSITIVE_INFINITY
  return hasStarted ? 1 + held.readUInt32BE(1) : held.readUInt32BE(0)
}

/** As text, which is how this driver sends all of them. */
function parametersIn(message: Buffer, start: number): (string | null)[] {
  let at = start + 2 // there are no formats
  const count = message.readUInt16BE(at)
  at += 2
  return Array.from({ length: count }, () => {
    const length = message.readInt32BE(at)
    at += 4
    if (length < 0) return null
    at += length
    return message.toString('utf8', at - length, at)
  })
}
