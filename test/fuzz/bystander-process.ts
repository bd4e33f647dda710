// Somebody in another organization with a plain read every few milliseconds, and a write now and then. A process of its own:
// the work of the run beside it does not count.
import { setTimeout as pause } from 'node:timers/promises'
import { graphqlRequest, type HttpConnection, openHttpConnection } from '../fault/http-connection.ts'
import type { BystanderQuestion, Seen, Span } from './bystander.ts'

const GIVE_UP_MS = 60_000
const READ = '{ devices(first: 20) { data { id name } } }'
const WRITE =
  'mutation ($id: ID!, $description: String) { updateDevice(id: $id, input: { description: $description }) { id } }'

let port = 0
let refused: string[] = []
const reads = newLane(10)
const writes = newLane(50)

/** Calls of one kind, one after the other. */
interface Lane {
  everyMs: number
  requests: (() => string)[]
  latenciesMs: number[]
  spans: Span[]
  waitingSince: number | undefined
}

process.on('disconnect', () => process.exit())
process.on('message', (question: BystanderQuestion) => {
  if (question === 'poll') return poll()
  const { secrets, deviceId: id } = question
  port = question.port
  reads.requests = secrets.map((secret) => () => graphqlRequest(secret, READ))
  if (id === undefined) return
  const written = () => ({ id, description: `at ${performance.now()}` }) // a change each time
  writes.requests = secrets.map((secret) => () => graphqlRequest(secret, WRITE, written()))
})
void callOn(reads)
void callOn(writes)

function newLane(everyMs: number): Lane {
  return { everyMs, requests: [], latenciesMs: [], spans: [], waitingSince: undefined }
}

function poll(): void {
  const answer: Seen = { ...takenFrom(reads), writes: takenFrom(writes), refused }
  process.send?.({ answer })
  refused = []
}

function takenFrom(lane: Lane) {
  const { latenciesMs, spans, waitingSince } = lane
  lane.latenciesMs = []
  lane.spans = []
  return { latenciesMs, spans, waitingMs: waitingSince === undefined ? 0 : performance.now() - waitingSince }
}

/** By a clock of its own: a call that is due while another one is waited for counts from when it was due. */
async function callOn(lane: Lane): Promise<void> {
  const { everyMs } = lane
  let connection: HttpConnection | undefined
  let connectedTo = 0
  let sent = 0
  for (let due = performance.now(); ; ) {
    await pause(Math.max(0, due - performance.now()))
    const request = lane.requests[sent++ % lane.requests.length]
    if (!request) {
      due = performance.now() + everyMs
      continue
    }
    if (!connection?.isOpen || connectedTo !== port) {
      connection?.close()
      connection = openHttpConnection(port, GIVE_UP_MS)
      connectedTo = port
      due = performance.now()
    }
    lane.waitingSince = due
    const from = Date.now()
    const answer = await connection.send(request()).catch(() => undefined)
    lane.waitingSince = undefined
    const now = performance.now()
    const isFine = answer?.status === 200 && !answer.body.startsWith('{"errors"')
    if (isFine) lane.spans.push({ from, to: Date.now() })
    if (isFine) for (; due <= now; due += everyMs) lane.latenciesMs.push(now - due)
    else due = now + everyMs
    if (answer && !isFine) refused.push(`${answer.status} ${answer.body}`)
  }
}
