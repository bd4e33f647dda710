import { buildSchema } from 'graphql'
import { expect, it } from 'vitest'
import { PORTAL_SECRET } from '../../../test/support/world/storage.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { AppError } from '../../lib/app-error.ts'
import { createLog } from '../../lib/log.ts'
import { createGraphql } from './answer.ts'

/** `works` answers, `fails` cannot be reached. */
function createAnswer() {
  const schema = buildSchema('type Query { works: Int fails: Int } type Mutation { works: Int fails: Int }')
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    const { works, fails } = type?.getFields() ?? {}
    if (works) works.resolve = () => 1
    if (fails)
      fails.resolve = () => {
        throw new AppError('UNAVAILABLE')
      }
  }
  return createGraphql(schema, createLog('silent'), () => PORTAL_SECRET).answer
}

const CALLER = { kind: 'SYSTEM', organizationId: 'acme', role: 'ADMIN' } as const

const ACCEPTED = {
  'as most clients ask': 'application/json',
  'as the protocol has it': 'application/graphql-response+json',
}

for (const [how, accept] of Object.entries(ACCEPTED)) {
  const ask = async (query: string, answer = createAnswer()) => {
    const headers = { 'content-type': 'application/json', accept }
    const call = { method: 'POST', url: '/graphql', headers, body: JSON.stringify({ query }) }
    const { status, headers: sent, body } = await answer(call, { requestId: 'r-1', caller: CALLER } as RequestCtx)
    return {
      status,
      retryAfter: sent['retry-after'],
      ...(JSON.parse(String(body)) as { data: unknown; errors?: object[] }),
    }
  }

  it(`once a mutation has succeeded, a failure beside it is an error at its path and no 503, ${how}`, async () => {
    for (const query of [
      'mutation { works fails }',
      'mutation { fails works }',
      'mutation { a: works b: works c: fails }',
    ]) {
      const answer = createAnswer()
      for (let sighting = 0; sighting < 2; sighting++) {
        const { status, retryAfter, errors } = await ask(query, answer)
        expect({ status, retryAfter }, query).toEqual({ status: 200, retryAfter: undefined })
        expect(errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }])
      }
    }
  })

  it(`a query, or a mutation that did nothing, is 503 with Retry-After, ${how}`, async () => {
    for (const query of ['{ works fails }', 'mutation { fails }', 'mutation { a: fails b: fails }']) {
      expect(await ask(query), query).toMatchObject({ status: 503, retryAfter: '1' })
    }
  })
}
