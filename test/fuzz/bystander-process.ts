// Somebody in another organization with a plain call every few milliseconds. A process of its own: the work of the run beside
// it does not count.
import { setTimeout as pause } from 'node:timers/promises'
import { graphqlRequest, type HttpConnection, openHttpConnection } from '../fault/http-connection.ts'
import type { BystanderQuestion, Seen } from './bystander.ts'

const READS_EVERY_MS = 10
const WRITES_EVERY_MS = 20
const GIVE_UP_MS = 60_000
const READ = '{ devices(first: 20) { data { id name } } }'
const WRITE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'

let requestOf: ((sent: number) => string) | undefined
let everyMs = READS_EVERY_MS
let port = 0
let latenciesMs: number[] = []
let refused: string[] = []
let waitingSince: number | undefined

process.on('disconnect', () => process.exit())
process.on('message', (question: BystanderQuestion) => {
  if (question === 'look') return look()
  port = question.port
  const { secrets, writes = false } = question
  const from = Date.now()
  const requests = secrets.map((secret) => graphqlRequest(secret, READ))
  everyMs = writes ? WRITES_EVERY_MS : READS_EVERY_MS
  requestOf = writes
    ? (sent) => graphqlRequest(secrets[sent % secrets.length] ?? '', WRITE, { name: `bystander-${from}-${sent}` })
    : (sent) => requests[sent % requests.length] ?? ''
})
void callOn()

function look(): void {
  const waitingMs = waitingSince === undefined ? 0 : performance.now() - waitingSince
  const answer: Seen = { latenciesMs, waitingMs, refused }
  process.send?.({ answer })
  latenciesMs = []
  refused = []
}

/** By a clock of its own: a call that is due while another one is waited for counts from when it was due. */
async function callOn(): Promise<void> {
  let connection: HttpConnection | undefined
  let connectedTo = 0
  let sent = 0
  for (let due = performance.now(); ; ) {
    await pause(Math.max(0, due - performance.now()))
    const request = requestOf?.(sent++)
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
    waitingSince = due
    const answer = await connection.send(request).catch(() => undefined)
    waitingSince = undefined
    const now = performance.now()
    if (answer?.status === 200) for (; due <= now; due += everyMs) latenciesMs.push(now - due)
    else due = now + everyMs
    if (answer && answer.status !== 200) refused.push(`${answer.status} ${answer.body}`)
  }
}
