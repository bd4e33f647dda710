import { expect, it } from 'vitest'
import { decidedMutations } from '../../server/graphql/mutation-support.ts'
import { schema } from '../../server/schema.ts'

it('every mutation is decided about: whether it can be retried with an Idempotency-Key, and run dry', () => {
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
  expect(mutations.filter((name) => !decidedMutations().includes(name))).toEqual([])
})
