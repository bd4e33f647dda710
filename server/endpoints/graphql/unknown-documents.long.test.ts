import { describe, expect, it, onTestFinished } from 'vitest'
import { openConnections, sendOn } from '../../../test/support/world/at-once.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { AppError } from '../../lib/app-error.ts'
import { schema } from '../schema.ts'
import { createDocuments } from './operation.ts'

const KNOWN = '{ viewer { role } }'
/** Dear to validate, since none of its fields is known. */
const unknown = (i: number) => `{ viewer { ${Array.from({ length: 1900 }, (_, k) => `x${i + k}`).join(' ')} } }`

it('a flood of new documents is refused with 429, while cached ones and those of others are answered', async () => {
  const world = await startWorld({ env: { RATE_LIMIT: 'off' } })
  onTestFinished(() => world.close())
  const ada = await world.signUp('Ada')
  const [acme, globex] = [
    await world.organization('Acme', { admin: ada }),
    await world.organization('Globex', { admin: ada }),
  ]
  const { secret } = await world.generateKey(ada, acme)
  const flooding = world.asKey(secret)
  const quiet = world.asKey((await world.generateKey(ada, globex)).secret)
  await Promise.all([flooding.call(KNOWN), quiet.call(KNOWN)])

  async function counted(): Promise<number> {
    const metrics = await (await fetch(`${world.url}/metrics`)).text()
    const lines = [...metrics.matchAll(/portal_limit_refusals_total\{limit="documents\w*"\} (\d+)/g)]
    return lines.reduce((sum, [, count]) => sum + Number(count), 0)
  }

  const headers = { 'content-type': 'application/json', 'api-secret': secret }
  const requests = times(300, (i) => ({ headers, body: { query: unknown(i) } }))
  const sockets = await openConnections(world, requests.length)
  const before = await counted() // other tests of the process count too
  const flood = sendOn(sockets, requests)
  for (let i = 0; i < 5; i++) {
    expect((await flooding.call(KNOWN)).status).toBe(200)
    expect((await quiet.call(`{ viewer { mine${i}: role } }`)).data).toBeTruthy()
  }
  const refused = (await flood).filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { body, headers } of refused) {
    const error = { message: expect.stringContaining('as variables'), extensions: { code: 'RATE_LIMITED' } }
    expect(JSON.parse(`${body}`)).toMatchObject({ errors: [error] })
    expect(headers['retry-after']).toBe('1')
  }
  expect((await counted()) - before).toBe(refused.length)
})

const acme = { organizationId: 'acme', role: 'ADMIN' } as const
const ctxOf = (userId: string) => ({ caller: { kind: 'USER', userId, name: userId, ...acme } }) as RequestCtx
const times = <Result>(length: number, work: (i: number) => Result) => Array.from({ length }, (_, i) => work(i))

/** Where no check takes any time, nobody waits for a turn. */
const TIMELESS = { now: () => 0 }

describe('the same new document many times at once', () => {
  const LONG = `{ viewer { ${times(30, (i) => `a${i}: role`).join(' ')} ${'role '.repeat(10)}} }` // costs one point

  it('from one caller is parsed, charged and validated once', async () => {
    let charged = 0
    const operationOf = createDocuments(schema, async () => void charged++, TIMELESS)
    const found = await Promise.all(times(500, () => operationOf({ query: LONG }, ctxOf('ada'))))
    expect([new Set(found.map(({ node }) => node)).size, charged]).toEqual([1, 1])
  })

  it('from several callers is validated once, and each of them is charged', async () => {
    let charged = 0
    const operationOf = createDocuments(schema, async () => void charged++, TIMELESS)
    const found = await Promise.all(times(500, (i) => operationOf({ query: LONG }, ctxOf(`user ${i % 5}`))))
    expect([new Set(found.map(({ node }) => node)).size, charged]).toEqual([1, 5])
  })

  it('is refused with the same errors for all, and each name of an operation is a document of its own', async () => {
    const operationOf = createDocuments(schema, async () => {}, TIMELESS)
    const query = 'query A { viewer { role } } query B { viewer { nothing } }'
    const ask = async (operationName: string) => operationOf({ query, operationName }, ctxOf('ada'))
    const [a, again, none] = await Promise.allSettled([ask('A'), ask('A'), ask('C')])
    expect(a).toMatchObject({ reason: { errors: [{ message: expect.stringContaining('nothing') }] } })
    expect(again).toEqual(a)
    expect(none).toMatchObject({ reason: { errors: [{ message: expect.stringContaining('operationName') }] } })
  })

  it('is not refused because the first of them is', async () => {
    let charged = 0
    const operationOf = createDocuments(
      schema,
      async () => {
        if (charged++ === 0) throw new AppError('RATE_LIMITED')
      },
      TIMELESS,
    )
    const [first, ...others] = await Promise.allSettled(
      times(500, async () => operationOf({ query: LONG }, ctxOf('ada'))),
    )
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'RATE_LIMITED' } })
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['fulfilled']))
    expect(charged).toBe(2)
  })
})
