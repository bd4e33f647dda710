import type { Answers, Outcome } from './answers.ts'
import type { Verdict } from './history.ts'
import { graphqlRequest, type HttpAnswer, type HttpConnection, openHttpConnection } from './http-connection.ts'
import { oneOf, type Random } from './random.ts'

const TIMEOUT_MS = 20_000
const MOST_CONNECTIONS = 4

/** Where requests go: the port may be another after a restart. */
export interface Target {
  port(): number | undefined
}

export interface Request {
  secret: string
  query: string
  variables?: object
  /** Answers that are right for this request alone. */
  also?: Record<string, Verdict>
  /** Given, the head goes out at once and the body no sooner than this. */
  release?: Promise<void>
}

interface ClientOptions {
  timeoutMs?: number
  /** How often a request goes over a new connection, although an open one is free. */
  newRate?: number
  /** Told of every request and its connection. */
  follow?(connection: HttpConnection, sent: Promise<HttpAnswer>): void
}

/** One client with a few keep-alive connections to each replica, so that one that hangs does not hold it up. */
export interface Client<Place extends Target> {
  /** The replicas that can be sent something now: one whose connections all wait for an answer is left alone. */
  free(): Place[]
  /** Any of those. */
  pick(): Place | undefined
  send(to: Place, request: Request): Promise<Outcome>
  close(): void
}

export function createClient<Place extends Target>(
  targets: readonly Place[],
  random: Random,
  answers: Answers,
  { timeoutMs = TIMEOUT_MS, newRate = 0, follow }: ClientOptions = {},
): Client<Place> {
  const connections = new Map<Place, HttpConnection[]>(targets.map((target) => [target, []]))

  const openTo = (target: Place) => {
    const open = (connections.get(target) ?? []).filter((connection) => connection.isOpen)
    connections.set(target, open)
    return open
  }
  const isFree = (target: Place) =>
    target.port() !== undefined &&
    (openTo(target).length < MOST_CONNECTIONS || openTo(target).some((connection) => !connection.isBusy))

  const free = () => targets.filter(isFree)

  return {
    free,
    pick() {
      const places = free()
      return places.length > 0 ? oneOf(random, places) : undefined
    },
    send(target, { secret, query, variables, also, release }) {
      const open = openTo(target)
      let connection = open.find(({ isBusy }) => !isBusy)
      if (connection && newRate > 0 && random() < newRate) {
        connection.close()
        connection = undefined
      }
      if (!connection) {
        connection = openHttpConnection(target.port() ?? 0, timeoutMs)
        open.push(connection)
      }
      const sent = connection.send(graphqlRequest(secret, query, variables), release)
      follow?.(connection, sent)
      return answers.read(sent, also)
    },
    close() {
      for (const connection of [...connections.values()].flat()) connection.close()
    },
  }
}
