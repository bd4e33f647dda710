import { ANY_SECRET } from '../../server/lib/secret.ts'
import type { CallAnswer, GraphqlCall } from './call.ts'
import type { Caller } from './callers.ts'

export type ProblemKind =
  | 'no answer'
  | 'slow answer'
  | 'bystander held up'
  | 'internal error'
  | 'foreign data'
  | 'secret in an answer'
  | 'no JSON'
  | 'bug in the log'
  | 'process ended'
  | 'growth'

export interface Problem {
  kind: ProblemKind
  words: string
}

/** What one step has shown: the answers to what was sent at once, and how long the bystander was kept waiting meanwhile. */
export interface Observed {
  calls: readonly GraphqlCall[]
  answers: readonly CallAnswer[]
  /** Without the time for which the machine was busy with something else. */
  heldMs: number
  noCoreMs: number
  /** Lines of the portal's log since the step began. */
  logged: readonly string[]
  hasEnded: boolean
}

export interface JudgeOptions {
  /** A single call is answered within this time. */
  answerMs: number
  /** Nobody else waits longer than this. */
  heldMs: number
  /** What may let somebody in: in no answer at all. */
  secrets: readonly string[]
}

const TIMED: readonly ProblemKind[] = ['no answer', 'slow answer', 'bystander held up']

/** A busy machine can bring it about as well: it counts when it happens again. */
export const isTimed = ({ kind }: Problem) => TIMED.includes(kind)

const GIVES_SECRETS = /generateApiKey|rotateApiKey|inviteUser/

/** Everything that is wrong with how a step went. */
export function judge(observed: Observed, caller: Pick<Caller, 'forbidden'>, options: JudgeOptions): Problem[] {
  const { calls, answers, heldMs, noCoreMs, logged, hasEnded } = observed
  const problems = answers.flatMap((answer, i) => ofAnswer(calls[i], answer, caller, options))
  // Whoever sends many at once waits for their own: there the bystander alone tells.
  const alone = calls.length === 1 ? answers[0] : undefined
  if (hasEnded) problems.push({ kind: 'process ended', words: 'the process has ended by itself' })
  else if (answers.some(({ status }) => status === undefined)) {
    problems.push({ kind: 'no answer', words: `no answer, and the bystander waits for ${ms(heldMs)}` })
  } else if (alone && alone.ms - noCoreMs > options.answerMs) {
    problems.push({ kind: 'slow answer', words: `answered ${alone.status} after ${ms(alone.ms)}` })
  }
  if (heldMs > options.heldMs) problems.push({ kind: 'bystander held up', words: `a bystander waited ${ms(heldMs)}` })
  for (const line of logged)
    if (/"msg":"(bug|ended by a bug)"/.test(line)) problems.push({ kind: 'bug in the log', words: line })
  return problems
}

function ofAnswer(
  call: GraphqlCall | undefined,
  { status, body }: CallAnswer,
  { forbidden }: Pick<Caller, 'forbidden'>,
  { secrets }: JudgeOptions,
): Problem[] {
  if (status === undefined) return []
  const problems: Problem[] = []
  if (status === 500 || body.includes('"INTERNAL"'))
    problems.push({ kind: 'internal error', words: `${status} ${body.slice(0, 300)}` })
  if (!isJson(body)) problems.push({ kind: 'no JSON', words: `${status} ${body.slice(0, 300)}` })
  const leaked = forbidden.find((canary) => body.includes(canary))
  if (leaked) problems.push({ kind: 'foreign data', words: `${leaked} in ${around(body, leaked)}` })
  const minted = GIVES_SECRETS.test(call?.query ?? '') ? undefined : body.match(ANY_SECRET)?.[0]
  const secret = secrets.find((each) => body.includes(each)) ?? minted
  if (secret) problems.push({ kind: 'secret in an answer', words: around(body, secret) })
  return problems
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

const around = (body: string, part: string) => {
  const at = body.indexOf(part)
  return `…${body.slice(Math.max(0, at - 80), at + 80)}…`
}

const ms = (value: number) => `${Math.round(value).toLocaleString('en')} ms`
