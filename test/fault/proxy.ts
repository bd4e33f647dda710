import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createFailingStatements } from './failing-statements.ts'
import { oneOf, type Random } from './random.ts'

const ERRORS = ['53200', '58030', 'XX000', '57P03'] // out of memory, i/o error, internal error, cannot connect now

/** What the way to the database is like; it can change while bytes are on it. */
export interface Weather {
  /** Nothing arrives, in either direction, and nothing is lost. */
  stalled: boolean
  /** New connections are reset. */
  refusing: boolean
  /** A round trip takes up to so much longer: half of it each way, in the order in which things were sent. */
  delayMs: number
  /** The share of statements that the database fails with an error of its own. */
  failRate: number
}

const CALM: Weather = { stalled: false, refusing: false, delayMs: 0, failRate: 0 }

/** A way to a database that anything can happen on. */
export interface DatabaseProxy {
  port: number
  /** From now on; what is not named is calm. */
  set(weather: Partial<Weather>): void
  /** Every connection is gone; gives how many there were. */
  cut(): number
  /** How many statements came by, and how many of them were made to fail. */
  statements(): { seen: number; failed: number }
  close(): Promise<void>
}

interface ProxyOptions {
  port: () => number
  random: Random
  /** In milliseconds: what is late by so much arrives when so much has passed. */
  now?: () => number
}

/** Listens on a free port of this machine, and passes on to where PostgreSQL is at that moment. */
export async function startProxy({ now = () => performance.now(), ...to }: ProxyOptions): Promise<DatabaseProxy> {
  let weather = CALM
  const statements = { seen: 0, failed: 0 }
  const lanes = new Set<Lane>()
  const sockets = new Set<Socket>()

  const pickError = () => {
    statements.seen++
    if (to.random() >= weather.failRate) return undefined
    statements.failed++
    return oneOf(to.random, ERRORS)
  }
  const open = (client: Socket) => {
    if (weather.refusing) return void client.resetAndDestroy()
    const server = connect({ host: '127.0.0.1', port: to.port(), noDelay: true })
    const failing = createFailingStatements(pickError)
    const lane = (from: Socket, into: Socket, change: (bytes: Buffer) => Buffer) => {
      const lane = createLane(into, () => weather, to.random, now)
      lanes.add(lane)
      sockets.add(from)
      from.on('data', (bytes) => lane.push(change(bytes)))
      from.on('error', () => {}) // what follows is 'close'
      from.on('close', () => {
        sockets.delete(from)
        lane.end()
      })
      into.on('close', () => {
        lane.drop()
        lanes.delete(lane)
      })
    }
    lane(client, server, failing)
    lane(server, client, (bytes) => bytes)
  }

  const listener = createServer({ noDelay: true }, open).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const cut = () => {
    const count = sockets.size / 2
    for (const socket of sockets) socket.destroy()
    return Math.ceil(count)
  }
  return {
    port: portOf(listener.address()),
    set(next) {
      weather = { ...CALM, ...next }
      for (const lane of lanes) lane.pump()
    },
    cut,
    statements: () => ({ ...statements }),
    close: async () => {
      listener.close()
      cut()
      await once(listener, 'close')
    },
  }
}

interface Lane {
  push(bytes: Buffer): void
  end(): void
  pump(): void
  drop(): void
}

/** One direction of one connection: pieces come out in order, when the weather lets them. */
function createLane(into: Socket, weather: () => Weather, random: Random, now: () => number): Lane {
  const queue: { bytes: Buffer | 'end'; due: number }[] = []
  let timer: NodeJS.Timeout | undefined
  const add = (bytes: Buffer | 'end') => {
    queue.push({ bytes, due: now() + (random() * weather().delayMs) / 2 })
    pump()
  }
  const pump = () => {
    clearTimeout(timer)
    if (weather().stalled) return
    for (let next = queue[0]; next; next = queue[0]) {
      const wait = next.due - now()
      if (wait > 0) {
        timer = setTimeout(pump, wait)
        return
      }
      queue.shift()
      if (next.bytes === 'end') into.end()
      else into.write(next.bytes)
    }
  }
  return {
    push: (bytes) => {
      if (bytes.length > 0) add(bytes)
    },
    end: () => add('end'),
    pump,
    drop: () => {
      clearTimeout(timer)
      queue.length = 0
    },
  }
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('The proxy does not listen.')
  return address.port
}
