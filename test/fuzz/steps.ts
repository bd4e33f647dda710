import type { GraphQLSchema } from 'graphql'
import { between, createRandom, oneOf, type Random } from '../fault/random.ts'
import type { Sender } from '../support/world/leak-sender.ts'
import { authMessage } from './auth-message.ts'
import type { GraphqlCall } from './call.ts'
import { type Caller, callerNamed } from './callers.ts'
import { generateDocument } from './document.ts'
import { hostileReceivers } from './hostile-receivers.ts'
import { largeWrites } from './large-writes.ts'
import { leakReport } from './leak-report.ts'
import { mcpMessage, wideMessage } from './mcp-message.ts'
import { steadyWrites } from './steady-writes.ts'
import { storedBytes, usedUpBytes } from './stored-bytes.ts'
import { sweepDocument, type Target } from './sweep.ts'
import { atTurn, turnsBefore } from './turns.ts'
import type { Known } from './values.ts'
import { type Sending, type Worst, worstDocument } from './worst.ts'

/** One in so many is made to be as dear as the limits allow. */
const WORST_EVERY = 10
/** One in so many goes to `/mcp`, `/auth` or `/leaks`. */
const MESSAGE_EVERY = 5
/** One in so many is a scene: several calls, and what follows from them. */
const SCENE_EVERY = 15
const SPOILED = 0.06
/** A prime: neighbours in the list of targets come far apart from each other. */
const STRIDE = 7919

/** What is sent at once, the largest size first; the first size that is not refused for its size counts. */
export interface Step extends Sending {
  number: number
}

export interface StepOptions {
  schema: GraphQLSchema
  seed: number
  known: Known
  callers: readonly Caller[]
  /** Every argument with every edge value: each has its turn. */
  targets: readonly Target[]
  /** Who may report leaked secrets. */
  sender: Sender
}

/** The step of this number: the same for the same seed, whatever came before. */
export function stepOf(number: number, options: StepOptions): Step {
  const { schema, seed, known, targets } = options
  const callers = options.callers.filter(({ isOfScenes = false }) => !isOfScenes)
  const random = createRandom(Math.imul(seed, 31) + Math.imul(number, 0x9e3779b1))
  random()
  if (number % WORST_EVERY === WORST_EVERY - 1) {
    const turn = Math.floor(number / WORST_EVERY)
    const large = callers.filter(({ name }) => name === 'key of a' || name === 'Admin of a')
    return { number, caller: oneOf(random, large), worst: worstDocument(schema, turn, { random, known, seed }) }
  }
  if (number % SCENE_EVERY === 13)
    return { number, ...sceneOf(Math.floor(number / SCENE_EVERY), random, options.callers) }
  if (number % MESSAGE_EVERY === 2)
    return { number, ...messageOf(Math.floor(number / MESSAGE_EVERY), random, { ...options, callers }) }
  if (number % 2 === 1) {
    const target = targets[(seed + Math.imul(Math.floor(number / 2), STRIDE)) % targets.length]
    const able = callers.filter(({ isGood, writes }) => isGood && (writes || target?.operation === 'query'))
    const call = target && sweepDocument(target, { random, known, isTame: true })
    if (call) return { number, caller: oneOf(random, able), worst: single(call) }
  }
  const caller = oneOf(random, callers)
  const operation = caller.writes && random() < 0.5 ? 'mutation' : 'query'
  const call = generateDocument(schema, { random, known, isTame: random() < 0.2, operation })
  const sent = random() < SPOILED ? spoiled(call, random) : call
  return { number, caller, worst: single(sent) }
}

/** Sent with others like it, and not alone. */
export const isCheap = ({ worst: { shape } }: Step) => shape === 'random' || /^(mcp|auth|leaks)/.test(shape)

/** All that is stored, every budget, all receivers and every mutation for many are in one round of them, which fits into a short run. */
const SCENES = [
  ...(['steady', 'large', 'receivers', 'used up', 'stored'] as const),
  ...(['stored', 'large', 'stored', 'used up', 'stored'] as const),
  ...(['steady', 'large', 'receivers', 'used up', 'stored'] as const),
  ...(['stored', 'large', 'stored', 'large', 'stored'] as const),
] as const

/** Several calls, and what follows from them: in the organizations whose webhooks lead somewhere. */
function sceneOf(turn: number, random: Random, callers: readonly Caller[]): Sending {
  const kind = atTurn(SCENES, turn)
  const ofKind = turnsBefore(SCENES, turn)
  switch (kind) {
    case 'steady':
      return steadyWrites(callers)
    case 'large':
      return { caller: callerNamed('Admin of g', callers), worst: largeWrites(ofKind) }
    case 'receivers':
      return { caller: callerNamed('Admin of h', callers), worst: hostileReceivers(ofKind) }
    case 'used up':
      return usedUpBytes(ofKind, random, callers)
    case 'stored':
      return storedBytes(ofKind, random, callers)
  }
}

/** What is no document: messages of those who have a key, forms of those who are signed in or not, reports of anybody. */
function messageOf(turn: number, random: Random, { callers, sender, ...options }: StepOptions): Sending {
  const any = (path: Caller['path'], isGood: boolean) =>
    oneOf(
      random,
      callers.filter((each) => each.path === path && each.isGood === isGood),
    )
  if (turn % 4 === 1) return { caller: any('/portal/graphql', random() < 0.5), worst: authMessage(random) }
  if (turn % 4 === 3) return { caller: callerNamed('nobody', callers), worst: leakReport(random, sender) }
  return {
    caller: any('/graphql', true),
    worst: turn % 8 === 0 ? wideMessage(turn / 8) : mcpMessage({ ...options, random }),
  }
}

const single = (call: GraphqlCall): Worst => ({ shape: 'random', sizes: [1], callsOf: () => [call] })

/** No document of any schema: cut off, with a character too many, or no text at all. */
function spoiled(call: GraphqlCall, random: Random): GraphqlCall {
  const { query } = call
  const at = between(random, 0, query.length)
  const inserted = oneOf(random, [
    '\u0000',
    '{',
    '}',
    '(',
    '"',
    '"""',
    '$',
    '...',
    '@',
    '\ud800',
    '\u202e',
    '#',
    '!',
    '1e999',
  ])
  return oneOf<GraphqlCall>(random, [
    { ...call, query: query.slice(0, at) },
    { ...call, query: query.slice(0, at) + inserted + query.slice(at) },
    { ...call, query: `${query} ${query}` },
    { ...call, operationName: 'x'.repeat(15_000) },
    { ...call, variables: [] as unknown as Record<string, unknown> }, // what the type does not allow, a client can send
    { query: 1 as unknown as string },
    { query: '{'.repeat(8000) },
    { query: `{ ${'viewer { organization { '.repeat(12)} id ${'} } '.repeat(12)} }` },
  ])
}
