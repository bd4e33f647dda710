import { ANY_SECRET } from '../../server/lib/secret.ts'
import type { Sent } from './attempt.ts'
import type { CallAnswer } from './call.ts'

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
  sent: readonly Sent[]
  answers: readonly CallAnswer[]
  /** Without the time for which the machine was busy with something else. */
  heldMs: number
  noCoreMs: number
  /** Lines of the portal's log since the step began. */
  logged: readonly string[]
  hasExpired: boolean
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

const GIVES_SECRETS = /generateApiKey|generateCanaryApiKey|rotateApiKey|inviteUser|createWebhook|rotateWebhookSecret/

/** Everything that is wrong with how a step went. */
export function judge(observed: Observed, options: JudgeOptions): Problem[] {
  const { sent, answers, heldMs, noCoreMs, logged, hasExpired } = observed
  const problems = answers.flatMap((answer, i) => ofAnswer(sent[i], answer, options))
  const isHeldUp = heldMs > options.heldMs
  if (hasExpired) problems.push({ kind: 'process ended', words: 'the process has ended by itself' })
  else if (answers.some(({ status }) => status === undefined)) {
    // Whoever sends many at once waits for their own: there the bystander alone tells.
    const isLate = sent.length === 1 ? lateBy(answers, noCoreMs) > options.answerMs : isHeldUp
    if (isLate) problems.push({ kind: 'no answer', words: `no answer, and a bystander waited ${ms(heldMs)}` })
  } else if (sent.length === 1 && lateBy(answers, noCoreMs) > options.answerMs) {
    problems.push({ kind: 'slow answer', words: `answered after ${ms(lateBy(answers, noCoreMs))}` })
  }
  if (isHeldUp) problems.push({ kind: 'bystander held up', words: `a bystander waited ${ms(heldMs)}` })
  for (const line of logged)
    if (/"msg":"(bug|ended by a bug)"/.test(line)) problems.push({ kind: 'bug in the log', words: line })
  return problems
}

/** How long the slowest took, without what a busy machine took. */
const lateBy = (answers: readonly CallAnswer[], noCoreMs: number) => Math.max(...answers.map(({ ms }) => ms)) - noCoreMs

function ofAnswer(sent: Sent | undefined, { status, body }: CallAnswer, { secrets }: JudgeOptions): Problem[] {
  if (!sent || status === undefined) return []
  const problems: Problem[] = []
  if (status === 500 || body.includes('"INTERNAL"'))
    problems.push({ kind: 'internal error', words: `${status} ${body.slice(0, 300)}` })
  if (!isJson(body)) problems.push({ kind: 'no JSON', words: `${status} ${body.slice(0, 300)}` })
  const leaked = sent.caller.forbidden.find((canary) => body.includes(canary))
  if (leaked) problems.push({ kind: 'foreign data', words: `${leaked} in ${around(body, leaked)}` })
  const minted = GIVES_SECRETS.test(sent.call.query) ? undefined : body.match(ANY_SECRET)?.[0]
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
