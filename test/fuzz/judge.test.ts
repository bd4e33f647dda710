import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { mintSecret } from '../../server/lib/secret.ts'
import type { Stage } from './attempt.ts'
import type { Caller } from './callers.ts'
import type { Portal } from './portal.ts'
import { createSender } from './send.ts'
import type { Step } from './steps.ts'
import { takeAlone, takeTogether } from './take.ts'

const CANARY = 'canary-b-5d1c'
const SECRET = mintSecret('emp_')
const FINE = '{"data":{"devices":{"totalCount":1}}}'
const QUERY = '{ viewer { role } devices(first: 1) { totalCount data { id name } } }'
const caller: Caller = {
  name: 'key of a',
  path: '/graphql',
  headers: {},
  forbidden: [CANARY],
  writes: false,
  isGood: true,
}
const judging = { answerMs: 60_000, heldMs: 100, secrets: [SECRET] }

type Answering = (query: string) => { status?: number; body: string } | 'nothing'

/** A server that is no portal, and a bystander who waits as long as told. */
async function fakeStage(
  answering: Answering,
  { heldMs = 1, log = [] as string[], giveUp = 60_000 } = {},
): Promise<Stage> {
  const server = createServer(async (request, response) => {
    const { query } = JSON.parse(await text(request))
    const answer = answering(query)
    if (answer === 'nothing') return
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const sender = createSender(typeof address === 'object' ? (address?.port ?? 0) : 0)
  onTestFinished(() => {
    sender.close()
    server.closeAllConnections()
    server.close()
  })
  const portal: Portal = {
    port: () => 0,
    sender: () => sender,
    hasExpired: () => false,
    logged: () => log,
    memory: () => 0,
    coreWaitMs: () => 0,
    starts: () => 1,
    restart: async () => {},
    close: async () => {},
  }
  const seen = { latenciesMs: [heldMs], waitingMs: 0, refused: [] }
  const bystander = { turnTo: () => {}, look: async () => seen, coreWaitMs: () => 0, close: () => {} }
  const giveUpMs = { alone: giveUp, together: giveUp }
  return { portal, bystander, latencies: [], corrected: [], refused: [], codes: new Map(), giveUpMs }
}

const stepWith = (query: string, number = 1): Step => ({
  number,
  caller,
  worst: { shape: 'random', sizes: [1], callsOf: () => [{ query }] },
})

const kindFound = async (stage: Stage) => (await takeAlone(stage, stepWith(QUERY), judging))?.problem.kind

it('a correct answer is no finding', async () => {
  expect(await kindFound(await fakeStage(() => ({ body: FINE })))).toBeUndefined()
  expect(await kindFound(await fakeStage(() => ({ status: 503, body: '{"errors":[]}' })))).toBeUndefined()
})

it.each<[string, Answering]>([
  ['foreign data', () => ({ body: `{"data":{"name":"edge ${CANARY}"}}` })],
  ['secret in an answer', () => ({ body: `{"data":{"name":"${SECRET}"}}` })],
  ['secret in an answer', () => ({ body: `{"data":{"name":"${mintSecret('ems_')}"}}` })],
  ['internal error', () => ({ body: '{"errors":[{"extensions":{"code":"INTERNAL"}}]}' })],
  ['internal error', () => ({ status: 500, body: '{}' })],
  ['no JSON', () => ({ body: '<html>' })],
])('finds %s', async (kind, answering) => {
  expect(await kindFound(await fakeStage(answering))).toBe(kind)
})

it('finds a call without an answer, and one with a late answer', async () => {
  expect(await kindFound(await fakeStage(() => 'nothing', { giveUp: 100 }))).toBeUndefined()
  const isLate = { ...judging, answerMs: 50 }
  const none = await takeAlone(await fakeStage(() => 'nothing', { giveUp: 100 }), stepWith(QUERY), isLate)
  expect(none?.problem.kind).toBe('no answer')
  const late = await takeAlone(await fakeStage(() => ({ body: FINE })), stepWith(QUERY), { ...judging, answerMs: 0 })
  expect(late?.problem.kind).toBe('slow answer')
})

it('finds a bystander who was delayed, and a bug in the log', async () => {
  expect(await kindFound(await fakeStage(() => ({ body: FINE }), { heldMs: 150 }))).toBe('bystander held up')
  expect(await kindFound(await fakeStage(() => ({ body: FINE }), { log: ['{"level":50,"msg":"bug"}'] }))).toBe(
    'bug in the log',
  )
})

it('a new secret may be in the answer to its creator, an old one may not', async () => {
  const generate = stepWith('mutation { generateApiKey { secret } }')
  const answering = (secret: string) => () => ({ body: `{"data":{"generateApiKey":{"secret":"${secret}"}}}` })
  expect(await takeAlone(await fakeStage(answering(mintSecret('emp_'))), generate, judging)).toBeUndefined()
  expect(await takeAlone(await fakeStage(answering(SECRET)), generate, judging)).toBeDefined()
})

it('finds out which of several concurrent steps failed, and shrinks it', async () => {
  const stage = await fakeStage((query) => ({
    status: query.includes('totalCount') ? 500 : 200,
    body: '{}',
  }))
  const found = await takeTogether(stage, [stepWith('{ viewer { role } }', 1), stepWith(QUERY, 2)], judging)
  expect(found.map(({ step, calls }) => [step, calls[0]?.query.replace(/\s+/g, ' ')])).toEqual([
    [2, '{ devices { totalCount } }'],
  ])
})

it('if the largest size is refused as too complex, a smaller one is checked', async () => {
  const stage = await fakeStage((query) => ({
    body: query.length > 12 ? '{"errors":[{"extensions":{"code":"QUERY_TOO_COMPLEX"}}]}' : '{"errors":["INTERNAL"]}',
  }))
  const sized = (size: number) => [{ query: `{ ${'a'.repeat(size)} }` }]
  const step = { number: 1, caller, worst: { shape: 'nested', sizes: [100, 50, 8, 1], callsOf: sized } }
  expect((await takeAlone(stage, step, judging))?.calls).toEqual(sized(8))
})
