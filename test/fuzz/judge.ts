import type { StoredKind } from '../../server/db/byte-budgets.ts'
import { MAX_DOCUMENT_CHARACTERS } from '../../server/graphql/operation-limits.ts'
import { ANY_SECRET } from '../../server/secrets/secret.ts'
import type { Sent } from './attempt.ts'
import { bodyOf, type Call, type CallAnswer, isPlain } from './call.ts'

export type ProblemKind =
  | 'no answer'
  | 'slow answer'
  | 'bystander held up'
  | 'bystander refused'
  | 'long refusal'
  | 'too much computing'
  | 'too much stored'
  | 'no end of storing'
  | 'revoke refused'
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
  /** Like `heldMs`, for the bystander's writes. */
  heldWritesMs: number
  /** How many of those who wrote all the time were served, on average, while the bystander waited with a write. */
  turnsWaited?: number
  /** What it was answered when it was refused. */
  refused: readonly string[]
  noCoreMs: number
  /** What the portal has computed in all of its threads, in which time that it had a core, and how much it may. */
  computed: { ms: number; ofMs: number; mostShare?: number | undefined; mostOfCallMs?: number | undefined }
  /** What the organization could store no more of. */
  usedUp?: StoredKind
  /** What the calls have left in the database, where that was watched, and the points that they took. */
  stored?: { bytes: number; points: number }
  /** Lines of the portal's log since the step began. */
  logged: readonly string[]
  hasExpired: boolean
}

export interface JudgeOptions {
  /** A single call is answered within this time. */
  answerMs: number
  /** Nobody else waits longer than this. */
  heldMs: number
  /** Nobody else waits longer than this with a write. */
  heldWritesMs: number
  /** How much of a core the portal needs beside the bystander's calls alone. */
  idleShare: number
  /** What may let somebody in: in no answer at all. */
  secrets: readonly string[]
}

const TIMED: readonly ProblemKind[] = [
  'no answer',
  'slow answer',
  'bystander held up',
  'bystander refused',
  'too much computing',
  'no end of storing',
]

/** The code of a bug, in GraphQL and in JSON-RPC. */
const INTERNAL = /"INTERNAL"|"code":-32603/

/** A busy machine, or the end of a day, can bring it about as well: it counts when it happens again. */
export const isTimed = ({ kind }: Problem) => TIMED.includes(kind)

/** A refusal repeats what was sent, once in the message and once beside it, and not more; one of `/mcp` repeats nothing. */
const REFUSAL_BYTES = 8 * 1024
const REFUSAL_TIMES_REQUEST = 2
/** Less tells nothing on a busy machine. */
const LEAST_COMPUTED_MS = 500
/** What a point may leave in the database: 8 KB of its own, and half as much for indexes and pages that are not full; and what calls may leave once. */
const BYTES_OF_A_POINT = 12 * 1024
const BYTES_BESIDE = 64 * 1024

/** Whoever writes little waits until the one of those is done who has its turn; four write all the time. */
const MOST_TURNS = 2

/** A call that hangs is not answered once, and holds up a bystander the next time: both are about time. */
export const isSame = (one: Problem, other: Problem) => one.kind === other.kind || (isTimed(one) && isTimed(other))

const GIVES_SECRETS = /generateApiKey|generateCanaryApiKey|rotateApiKey|inviteUser|createWebhook|rotateWebhookSecret/

/** Everything that is wrong with how a step went. */
export function judge(observed: Observed, options: JudgeOptions): Problem[] {
  const { sent, answers, heldMs, heldWritesMs, turnsWaited = 0, refused, noCoreMs, logged, hasExpired } = observed
  const problems = answers.flatMap((answer, i) => ofAnswer(sent[i], answer, options))
  const isHeldUp = heldMs > options.heldMs && canBeOfPortal(heldMs, observed, options)
  if (hasExpired) problems.push({ kind: 'process ended', words: 'the process has ended by itself' })
  else if (answers.some(({ status }) => status === undefined)) {
    // Whoever sends many at once waits for their own: there the bystander alone tells.
    const isLate = sent.length === 1 ? lateBy(answers, noCoreMs) > options.answerMs : isHeldUp
    if (isLate) problems.push({ kind: 'no answer', words: `no answer, and a bystander waited ${ms(heldMs)}` })
  } else if (sent.length === 1 && lateBy(answers, noCoreMs) > options.answerMs) {
    problems.push({ kind: 'slow answer', words: `answered after ${ms(lateBy(answers, noCoreMs))}` })
  }
  if (isHeldUp) problems.push({ kind: 'bystander held up', words: `a bystander waited ${ms(heldMs)}` })
  if (heldWritesMs > options.heldWritesMs && canBeOfPortal(heldWritesMs, observed, options))
    problems.push({ kind: 'bystander held up', words: `a bystander waited ${ms(heldWritesMs)} with a write` })
  if (turnsWaited > MOST_TURNS) {
    const words = `while a bystander waited with a write, ${turnsWaited.toFixed(1)} others had their turns on average`
    problems.push({ kind: 'bystander held up', words })
  }
  for (const words of refused.slice(0, 1)) problems.push({ kind: 'bystander refused', words: words.slice(0, 300) })
  problems.push(...ofWork(observed, options))
  for (const line of logged)
    if (/"msg":"(bug|ended by a bug)"/.test(line)) problems.push({ kind: 'bug in the log', words: line })
  return problems
}

/** Whoever waits while more time passes without a core than with one waits for the portal only if that computes meanwhile. */
const canBeOfPortal = (heldMs: number, { noCoreMs, computed }: Observed, options: JudgeOptions) =>
  noCoreMs <= computed.ofMs || ownMs(computed, options) >= heldMs / 2

/** Beyond what it computes for the bystander. */
const ownMs = ({ ms, ofMs }: Observed['computed'], { idleShare }: JudgeOptions) => ms - idleShare * ofMs

/** The one to tell of: what a busy machine cannot bring about, if there is such a problem. */
export const worstOf = (problems: readonly Problem[]) => problems.find((each) => !isTimed(each)) ?? problems[0]

/** What was computed and stored beyond measure. */
function ofWork({ sent, answers, computed, stored, usedUp }: Observed, options: JudgeOptions): Problem[] {
  const problems: Problem[] = []
  const { ofMs, mostShare = Number.POSITIVE_INFINITY, mostOfCallMs = Number.POSITIVE_INFINITY } = computed
  const own = ownMs(computed, options)
  if (own > LEAST_COMPUTED_MS && own > Math.min(mostShare * ofMs, mostOfCallMs * sent.length))
    problems.push({ kind: 'too much computing', words: `${ms(own)} of computing within ${ms(ofMs)}` })
  if (usedUp) problems.push(...ofUsedUp(usedUp, answers))
  if (stored && stored.bytes > BYTES_BESIDE + stored.points * BYTES_OF_A_POINT)
    problems.push({
      kind: 'too much stored',
      words: `${stored.bytes.toLocaleString('en')} bytes more in the database for ${stored.points} points`,
    })
  return problems
}

/** Whoever has used up their points has said nothing about what they may store. */
function ofUsedUp(kind: StoredKind, answers: readonly CallAnswer[]): Problem[] {
  const isRefused = ({ body }: CallAnswer) => body.includes('"code":"LIMIT_EXCEEDED"')
  const isTold = ({ status, body }: CallAnswer) => status === 200 && !/"code":"(RATE_LIMITED|UNAVAILABLE)"/.test(body)
  const [writes, revokes] = [answers.slice(0, -1), answers.slice(-1)]
  const stored = writes.find((answer) => isTold(answer) && !isRefused(answer))
  const refused = revokes.find(isRefused)
  return [
    ...(stored ? [{ kind: 'no end of storing' as const, words: `${kind} are used up: ${stored.body}` }] : []),
    ...(refused ? [{ kind: 'revoke refused' as const, words: `${kind} are used up: ${refused.body}` }] : []),
  ]
}

/** How long the slowest took, without what a busy machine took. */
const lateBy = (answers: readonly CallAnswer[], noCoreMs: number) => Math.max(...answers.map(({ ms }) => ms)) - noCoreMs

function ofAnswer(sent: Sent | undefined, { status, body }: CallAnswer, { secrets }: JudgeOptions): Problem[] {
  if (!sent || status === undefined) return []
  const problems: Problem[] = []
  if (status === 500 || INTERNAL.test(body))
    problems.push({ kind: 'internal error', words: `${status} ${body.slice(0, 300)}` })
  if (!isJson(body) && !(status === 202 && body === ''))
    problems.push({ kind: 'no JSON', words: `${status} ${body.slice(0, 300)}` })
  if (body.length > longestRefusal(sent.call, body))
    problems.push({ kind: 'long refusal', words: `${status}, ${body.length} characters: ${body.slice(0, 300)}` })
  const leaked = sent.caller.forbidden.find((canary) => body.includes(canary))
  if (leaked) problems.push({ kind: 'foreign data', words: `${leaked} in ${around(body, leaked)}` })
  const minted = GIVES_SECRETS.test(bodyOf(sent.call)) ? undefined : body.match(ANY_SECRET)?.[0]
  const secret = secrets.find((each) => body.includes(each)) ?? minted
  if (secret) problems.push({ kind: 'secret in an answer', words: around(body, secret) })
  return problems
}

/** How long an answer may be; one with anything but errors, of GraphQL or of JSON-RPC, as long as it likes. */
function longestRefusal(call: Call, body: string): number {
  const isMcp = isPlain(call) && call.path === '/mcp'
  if (isMcp && !body.includes('"result":')) return REFUSAL_BYTES
  const repeated = isMcp ? MAX_DOCUMENT_CHARACTERS : Number.POSITIVE_INFINITY // nothing but the document of a message is
  const repeating = REFUSAL_BYTES + REFUSAL_TIMES_REQUEST * Math.min(bodyOf(call).length, repeated)
  const isRefusal = body.includes('"isError":true') || (body.startsWith('{"errors":') && !body.includes('"data":{'))
  return isRefusal ? repeating : Number.POSITIVE_INFINITY
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
