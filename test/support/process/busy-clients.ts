import { answeredBy, graphqlRequest, type HttpConnection, openHttpConnection } from '../../fault/http-connection.ts'

const ANSWER_WITHIN_MS = 60_000

/** Whom to call, and how many calls were answered so far. */
export interface Called {
  url: string
  secret: string
  calls: { answered: number }
}

/** A client that sends one call after the other, on one connection for as long as the server lets it. */
export function createBusyClient({ url, secret, calls }: Called) {
  const port = Number(new URL(url).port)
  const request = graphqlRequest(secret, '{ viewer { role } }')
  let connection: HttpConnection | undefined
  return {
    /** The process that answered: its mark in the ids of requests. Throws if there is no answer, or a wrong one. */
    async call(): Promise<string> {
      connection = connection?.isOpen ? connection : openHttpConnection(port, ANSWER_WITHIN_MS)
      const { status, head, body } = await connection.send(request)
      if (status !== 200 || body !== '{"data":{"viewer":{"role":"ADMIN"}}}') throw new Error(`${status}: ${body}`)
      calls.answered++
      return answeredBy(head) ?? ''
    },
    close: () => connection?.close(),
  }
}

export type BusyClient = ReturnType<typeof createBusyClient>

/** Lets them call until they are stopped. */
export function startBusyClients(clients: readonly BusyClient[]) {
  let isOver = false
  const answered = new Set<string>()
  const failures: { error: unknown; by: string }[] = []
  const work = clients.map(async (client) => {
    let by = ''
    while (!isOver) {
      try {
        by = await client.call()
        answered.add(by)
      } catch (error) {
        failures.push({ error, by })
        by = ''
      }
    }
    client.close()
  })
  return {
    /** The processes that have answered. */
    answered,
    /** Calls without a right answer, and who had answered the one before on that connection. */
    failures,
    async stop(): Promise<void> {
      isOver = true
      await Promise.all(work)
    },
  }
}
