import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { mintSecret } from '../../server/secrets/secret.ts'
import { type Stage, turnsWaited } from './attempt.ts'
import type { Span } from './bystander.ts'
import type { Caller } from './callers.ts'
import { judge } from './judge.ts'
import type { Portal } from './portal.ts'
import { takeScene } from './scene.ts'
import { createSender } from './send.ts'
import type { Step } from './steps.ts'
import { takeAlone, takeTogether } from './take.ts'
import type { Manner } from './worst.ts'

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
const judging = { answerMs: 60_000, heldMs: 100, heldWritesMs: 150, idleShare: 0, secrets: [SECRET] }

type Answering = (query: string) => { status?: number; body: string; left?: number } | 'nothing'

/** A server that is no portal, and a bystander who waits as long as told while it is asked, or always on a busy machine. */
async function fakeStage(
  answering: Answering,
  {
    heldMs = 1,
    heldWritesMs = 1,
    refused = [] as string[],
    isBusy = false,
    log = [] as string[],
    giveUp = 60_000,
  } = {},
): Promise<Stage> {
  let wasCalled = false
  const server = createServer(async (request, response) => {
    wasCalled = true
    const { query } = JSON.parse(await text(request))
    const answer = answering(query)
    if (answer === 'nothing') return
    const limit = answer.left === undefined ? {} : { ratelimit: `"requests_of_caller";r=${answer.left};t=2` }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...limit }).end(answer.body)
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
    computedMs: () => 0,
    starts: () => 1,
    restart: async () => {},
    close: async () => {},
  }
  const poll = async () => {
    const isHeld = wasCalled || isBusy
    wasCalled = false
    const writes = { latenciesMs: [isHeld ? heldWritesMs : 1], spans: [], waitingMs: 0 }
    return { latenciesMs: [isHeld ? heldMs : 1], spans: [], waitingMs: 0, writes, refused }
  }
  const bystander = { turnTo: () => {}, poll, coreWaitMs: () => 0, close: () => {} }
  const giveUpMs = { alone: giveUp, together: giveUp, scene: giveUp }
  return {
    ...{ portal, bystander, giveUpMs, latencies: [], corrected: [], writes: [], refused: [], codes: new Map() },
    bytesOfPoint: new Map(),
    idleWrites: [],
    idleMs: 0,
    exhaust: async () => async () => {},
    storedBytes: async () => 0,
    settle: async () => {},
  }
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

it('finds a bystander who waited with a write, and one who was refused', async () => {
  expect(await kindFound(await fakeStage(() => ({ body: FINE }), { heldWritesMs: 200 }))).toBe('bystander held up')
  expect(await kindFound(await fakeStage(() => ({ body: FINE }), { refused: ['503 {}'] }))).toBe('bystander refused')
})

it('finds a bystander who waited for a turn of each of those who write all the time, and not for one of them', () => {
  const judged = { sent: [], answers: [], heldMs: 0, heldWritesMs: 0, refused: [], logged: [], hasExpired: false }
  const problems = (spans: Span[]) =>
    judge(
      { ...judged, noCoreMs: 0, turnsWaited: turnsWaited(spans, [10, 20, 30, 40]), computed: { ms: 0, ofMs: 1000 } },
      judging,
    )
  const [ofEach, ofOne] = [
    { from: 5, to: 45 },
    { from: 15, to: 25 },
  ] as const
  expect(problems([ofEach, ofEach])).toMatchObject([{ kind: 'bystander held up' }])
  expect(problems([ofOne, ofOne])).toEqual([])
})

it('on a machine where the bystander waits as long without any call, nothing is found', async () => {
  const stage = await fakeStage(() => ({ body: FINE }), { heldMs: 150, heldWritesMs: 200, isBusy: true })
  expect(await kindFound(stage)).toBeUndefined()
})

it('on a machine where hardly anybody has a core, only a portal that computes holds somebody up', () => {
  const problems = (ms: number, noCoreMs: number) =>
    judge(
      {
        ...{ sent: [], answers: [], heldMs: 800, heldWritesMs: 800, refused: [], logged: [], hasExpired: false },
        ...{ noCoreMs, computed: { ms, ofMs: 1000 } },
      },
      judging,
    )
  expect(problems(100, 5000)).toEqual([])
  expect(problems(500, 5000)).toHaveLength(2)
  expect(problems(100, 500)).toHaveLength(2)
})

it('finds a refusal that is much longer than the request, and not a long answer', async () => {
  const long = 'x'.repeat(20_000)
  expect(await kindFound(await fakeStage(() => ({ body: `{"errors":[{"message":"${long}"}]}` })))).toBe('long refusal')
  expect(await kindFound(await fakeStage(() => ({ body: `{"data":{"devices":"${long}"}}` })))).toBeUndefined()
  const call = { path: '/mcp', headers: {}, body: '{"query":"ping"}' }
  const step: Step = { number: 1, caller, worst: { shape: 'mcp ping', sizes: [1], callsOf: () => [call] } }
  const answering = (body: string) => () => ({ body: `{"jsonrpc":"2.0",${body}:{"message":"${long}"}}` })
  expect((await takeAlone(await fakeStage(answering('"error"')), step, judging))?.problem.kind).toBe('long refusal')
  expect(await takeAlone(await fakeStage(answering('"result"')), step, judging)).toBeUndefined()
  call.body = JSON.stringify(long.repeat(5))
  const failed = `"result":{"isError":true,"content":"${long}${long}"},"more"`
  expect((await takeAlone(await fakeStage(answering(failed)), step, judging))?.problem.kind).toBe('long refusal')
  call.body = JSON.stringify(long) // what is sent to /mcp is repeated in no refusal, however long it is
  expect((await takeAlone(await fakeStage(answering('"error"')), step, judging))?.problem.kind).toBe('long refusal')
})

const scene = (manner: Manner, calls = 2): Step => ({
  number: 1,
  caller,
  worst: {
    ...{ shape: 'a scene', sizes: [1], ...manner },
    callsOf: (_size, attempt = 0) => Array.from({ length: calls }, (_, i) => ({ query: `{ a${attempt}${i} }` })),
  },
})

it('finds a portal that goes on computing after its answers, and by which of the calls', async () => {
  const asked: string[] = []
  const stage = await fakeStage((query) => {
    asked.push(query)
    return { body: FINE }
  })
  stage.portal.computedMs = () => 1e6 * asked.filter((query) => query.includes('1 }')).length
  const found = await takeScene(stage, scene({ watchMs: 1, mostShare: 0.3 }), judging)
  expect([found?.problem.kind, found?.calls]).toEqual(['too much computing', [{ query: '{ a01 }' }]])
  expect(
    await takeScene(await fakeStage(() => ({ body: FINE })), scene({ watchMs: 1, mostShare: 0.3 }), judging),
  ).toBeUndefined()
})

it('holds the bytes that calls leave against the points that they take', async () => {
  const storing = async (bytesOfCall: number, pointsOfCall: number) => {
    let calls = 0
    const stage = await fakeStage(() => ({ body: FINE, left: pointsLeft(++calls * pointsOfCall) }))
    stage.storedBytes = async () => calls * bytesOfCall
    return (await takeScene(stage, scene({ inTurn: true }, 20), judging))?.problem.kind
  }
  const pointsLeft = (taken: number) => 50 - (taken % 50) // a new period begins now and then
  expect(await storing(30_000, 1)).toBe('too much stored')
  expect(await storing(30_000, 4)).toBeUndefined()
  expect(await storing(1000, 1)).toBeUndefined()
})

it('adds the points of all calls, of which some take more than others', async () => {
  let calls = 0
  let left = 1000
  const stage = await fakeStage(() => {
    left -= ++calls % 10 === 0 ? 50 : 1
    return { body: FINE, left }
  })
  stage.storedBytes = async () => calls * 100_000
  expect((await takeScene(stage, scene({ inTurn: true }, 40), judging))?.problem.kind).toBe('too much stored')
})

it('finds an organization that goes on storing when it may not, and a revoke that is refused for it', async () => {
  const usedUp = { organizationId: 'acme', kind: 'answer_bytes' } as const
  const refused = '{"errors":[{"code":"LIMIT_EXCEEDED"}],"data":null}'
  const found = async (first: string, second: string) => {
    const stage = await fakeStage((query) => ({ body: query.includes('1 }') ? second : first }))
    return (await takeScene(stage, scene({ inTurn: true, usedUp }), judging))?.problem.kind
  }
  expect(await found(refused, FINE)).toBeUndefined()
  expect(await found('{"errors":[{"code":"RATE_LIMITED"}]}', FINE)).toBeUndefined()
  expect(await found(FINE, FINE)).toBe('no end of storing')
  expect(await found(refused, refused)).toBe('revoke refused')
})

it('finds calls for which the portal computes for too long', async () => {
  const found = async (ms: number) => {
    let calls = 0
    const stage = await fakeStage(() => {
      calls++
      return { body: FINE }
    })
    stage.portal.computedMs = () => ms * calls
    return (await takeScene(stage, scene({ watchMs: 1, mostOfCallMs: 600 }), judging))?.problem.kind
  }
  expect(await found(700)).toBe('too much computing')
  expect(await found(500)).toBeUndefined()
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
  expect(
    found.map(({ step, calls }) => [step, calls.map((call) => String(Object.values(call)[0]).replace(/\s+/g, ' '))[0]]),
  ).toEqual([[2, '{ devices { totalCount } }']])
})

it('if the largest size is refused as too complex, a smaller one is checked', async () => {
  const stage = await fakeStage((query) => ({
    body: query.length > 12 ? '{"errors":[{"extensions":{"code":"QUERY_TOO_COMPLEX"}}]}' : '{"errors":["INTERNAL"]}',
  }))
  const sized = (size: number) => [{ query: `{ ${'a'.repeat(size)} }` }]
  const step = { number: 1, caller, worst: { shape: 'nested', sizes: [100, 50, 8, 1], callsOf: sized } }
  expect((await takeAlone(stage, step, judging))?.calls).toEqual(sized(8))
})
