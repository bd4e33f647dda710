// Somebody with a key who sends the worst that limits allow, on some connections at once. A process of its own, asked by `bench`.

import { setTimeout as pause } from 'node:timers/promises'
import { actionName } from '../../server/audit/actions.ts'
import { createRandom } from '../fault/random.ts'
import { codeOf } from './attempt.ts'
import { type CallAnswer, type GraphqlCall, readSchema } from './call.ts'
import { ACTIONS, TAGS } from './organization-rows.ts'
import { SEEN } from './seen-documents.ts'
import { createSender } from './send.ts'
import { type Worst, worstDocument } from './worst.ts'

const SEED = 13
const LANES = 4
const TIMEOUT_MS = 15_000
/** Whoever has reached a limit comes back a little later. */
const LIMITED_MS = 100

interface Order {
  port: number
  secret: string
  ms: number
}

process.on('disconnect', () => process.exit())
process.on('message', (order: Order) => {
  attack(order).then(
    (answer) => process.send?.({ answer }),
    (error: Error) => process.send?.({ trouble: error.message }),
  )
})

async function attack({ port, secret, ms }: Order) {
  const sender = createSender(port)
  const caller = { path: '/graphql' as const, headers: { 'api-secret': secret } }
  const next = documents()
  const codes: Record<string, number> = {}
  let sent = 0
  const end = performance.now() + ms
  const send = async (call: GraphqlCall): Promise<CallAnswer> => {
    const answer = await sender.send(caller, call, TIMEOUT_MS)
    const code = codeOf(answer)
    codes[code] = (codes[code] ?? 0) + 1
    sent++
    if (answer.status === 429) await pause(LIMITED_MS)
    return answer
  }
  const lane = async () => {
    while (performance.now() < end) await sendLargest(next(), send, () => performance.now() < end)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  sender.close()
  return { sent, codes }
}

/** In the largest size that is not refused for it. */
async function sendLargest(
  { sizes, callsOf }: Worst<GraphqlCall>,
  send: (call: GraphqlCall) => Promise<CallAnswer>,
  isTime: () => boolean,
): Promise<void> {
  for (const size of sizes) {
    if (!isTime()) return
    const answers = await Promise.all(callsOf(size).map(send))
    if (!answers.every(({ body }) => body.includes('QUERY_TOO_COMPLEX'))) return
  }
}

/** What was seen before and what the generator makes up, in turn. */
function documents(): () => Worst<GraphqlCall> {
  const schema = readSchema()
  const random = createRandom(SEED)
  const known = { ids: ['x'], tags: TAGS, cursors: ['x'], actions: ACTIONS.map(actionName) }
  let turn = 0
  return () => {
    const seen = SEEN[Math.floor(turn / 2) % SEEN.length]
    if (turn++ % 2 === 0 && seen) return { shape: 'seen', sizes: [1], callsOf: () => [seen] }
    return worstDocument(schema, turn, { random, known, seed: SEED })
  }
}
