import type { StoredKind } from '../../server/db/byte-budgets.ts'
import { between, createRandom, type Random } from '../fault/random.ts'
import { type Call, type CallAnswer, type GraphqlCall, isPlain } from './call.ts'
import { type Caller, callerNamed } from './callers.ts'
import { idOf, type Letter } from './organization-rows.ts'
import { atTurn } from './turns.ts'
import { webhookId } from './webhook-rows.ts'
import type { Sending } from './worst.ts'

const TIMES = 40
/** Stands for the id in the answer before. */
const SAME_ID = 'the-id-in-the-answer-before'
const ALIASES = Array.from({ length: 30 }, (_, i) => `a${i}: description`).join(' ')

interface Options {
  random: Random
  letter: Letter
}

type CallAt = (i: number, options: Options) => Call

/** Text that no database can compress: of three bytes a character. */
const dense = (random: Random, length: number) =>
  Array.from({ length }, () => String.fromCodePoint(between(random, 0x4e00, 0x9fff))).join('')

/** Everything of a device, as long as it may be. */
const longest = (random: Random) => ({
  description: dense(random, 1000),
  tags: Array.from({ length: 20 }, () => dense(random, 40)),
  location: { name: dense(random, 200), address: dense(random, 200) },
  firmwareVersion: dense(random, 80),
})

const update = (i: number, { random, letter }: Options, selection = 'id'): GraphqlCall => ({
  query: `mutation ($id: ID!, $input: UpdateDeviceInput!) { updateDevice(id: $id, input: $input) { ${selection} } }`,
  variables: { id: idOf(letter, 'device', i % 2), input: longest(random) },
})

/** Nothing to write, and much to answer. */
const unchanged = (i: number, { letter }: Options): GraphqlCall => ({
  query: `mutation ($id: ID!) { updateDevice(id: $id, input: {}) { ${ALIASES} } }`,
  variables: { id: idOf(letter, 'device', i % 2) },
})

/** With a key to retry it, its answer is recorded. */
const retriable = (call: GraphqlCall, { random }: Options): Call => ({
  path: '/graphql',
  headers: { 'idempotency-key': `update-${random()}` },
  body: JSON.stringify(call),
})

/** What stores most for what it costs, and in whose organization: all changes of the first go to 20 webhooks. */
const KINDS: readonly (readonly [kind: string, letter: Letter, callAt: CallAt])[] = [
  ['deliveries', 'g', update],
  [
    'recorded answers',
    'h',
    (i, options) => retriable(i < 2 ? update(i, options, ALIASES) : unchanged(i, options), options),
  ],
  ['audit events', 'h', (i, options) => update(i, options)],
  [
    'devices',
    'h',
    (_i, { random }) => ({
      query: 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }',
      variables: { input: { name: dense(random, 80), ...longest(random) } },
    }),
  ],
  [
    'keys that come and go',
    'h',
    (i, { random }) =>
      i % 2 === 0
        ? {
            query: 'mutation ($label: String!) { generateApiKey(input: { label: $label }) { apiKey { id } } }',
            variables: { label: dense(random, 80) },
          }
        : { query: 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', variables: { id: SAME_ID } },
  ],
  [
    'recorded dry runs',
    'h',
    (i, options) => retriable({ ...update(i, options, ALIASES), extensions: { dryRun: true } }, options),
  ],
  [
    'changes of webhooks',
    'h',
    (i, { random, letter }) => ({
      query: 'mutation ($id: ID!, $text: String!) { updateWebhook(id: $id, input: { description: $text }) { id } }',
      variables: { id: webhookId(letter, i % 2), text: dense(random, 200) },
    }),
  ],
  [
    'tests of webhooks',
    'g',
    (i, { letter }) => ({ query: `mutation { testWebhook(id: "${webhookId(letter, i)}") { id } }` }),
  ],
]

const USED_UP: readonly StoredKind[] = ['audit_bytes_a_day', 'answer_bytes', 'delivery_bytes']
const KEYS = 9

/** Writes of an organization that may store no more of a kind, and then a revoke. */
export function usedUpBytes(turn: number, random: Random, callers: readonly Caller[]): Sending {
  const kind = atTurn(USED_UP, turn)
  const letter: Letter = kind === 'delivery_bytes' ? 'g' : 'h'
  const revoke: GraphqlCall = {
    query: 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }',
    variables: { id: idOf(letter, 'apiKey', 1 + (turn % KEYS)) },
  }
  const callsOf = () => {
    const options = { random, letter }
    return [update(0, options), update(1, options), revoke].map((call) =>
      kind === 'answer_bytes' ? retriable(call, options) : call,
    )
  }
  const usedUp = { organizationId: idOf(letter, 'organization', 0), kind }
  return {
    caller: callerNamed(`key of ${letter}`, callers),
    worst: { shape: `used up ${kind}`, sizes: [1], inTurn: true, usedUp, callsOf },
  }
}

/** A call with what only the answer before tells. */
export function withIdOf(before: CallAnswer | undefined, call: Call): Call {
  const [, id] = /"id":"(\w+)"/.exec(before?.body ?? '') ?? []
  if (id === undefined || isPlain(call) || call.variables?.['id'] !== SAME_ID) return call
  return { ...call, variables: { ...call.variables, id } }
}

/** One kind of write again and again, whose bytes are held against the points that it took. */
export function storedBytes(turn: number, random: Random, callers: readonly Caller[]): Sending {
  const [kind, letter, callAt] = atTurn(KINDS, turn)
  const seed = random() * 2 ** 32
  const caller = callerNamed(`key of ${letter}`, callers)
  const callsOf = (_size: number, attempt = 0) => {
    const own = createRandom(seed + attempt)
    return Array.from({ length: TIMES }, (_, i) => callAt(i, { random: own, letter }))
  }
  return { caller, worst: { shape: `stored ${kind}`, sizes: [1], inTurn: true, callsOf } }
}
