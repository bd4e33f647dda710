import { attempt, type Sent, type Stage } from './attempt.ts'
import { type Call, type CallAnswer, type GraphqlCall, isPlain } from './call.ts'
import { isSame, isTimed, type JudgeOptions, judge, type Observed, type Problem, worstOf } from './judge.ts'
import type { Finding } from './report.ts'
import { pathOf } from './send.ts'
import { shrink } from './shrink.ts'
import { isCheap, type Step } from './steps.ts'
import { limitsNow } from './watch-bystander.ts'

/** Whoever counts a whole fleet several times at once waits for their own share of the database, up to a statement's time. */
export const DEAR_ANSWER_MS = 5000
/** How often what a busy machine can bring about has to come again. */
export const TIMES_AGAIN = 2
const SHRINK_TRIES = 60
const SHRINK_MS = 4000

export type Found = Omit<Finding, 'second'>

/** Steps that are sent at once. Where time was the trouble, each is sent alone to see whose fault it was. */
export async function takeTogether(stage: Stage, steps: readonly Step[], judging: JudgeOptions): Promise<Found[]> {
  const sent = steps.flatMap((step) => sentBy(step, step.worst.sizes[0] ?? 1))
  const observed = await attempt(stage, sent)
  const problems = steps.map((_, i) => judge(partOf(observed, i), judging))
  const isShared = problems.some((each) => each.some(isTimed)) || observed.logged.length > 0 || observed.hasExpired
  const found: Found[] = []
  for (const [i, step] of steps.entries()) {
    if (!isShared && problems[i]?.length === 0) continue
    const own = await takeAlone(stage, step, judging)
    if (own) found.push(own)
  }
  return found
}

/** A step in the largest size that is not refused for it, again where time was the trouble, and smaller where it can be. */
export async function takeAlone(stage: Stage, step: Step, given: JudgeOptions): Promise<Found | undefined> {
  const judging = !isCheap(step) ? { ...given, answerMs: Math.max(given.answerMs, DEAR_ANSWER_MS) } : given
  let observed: Observed | undefined
  for (const size of step.worst.sizes) {
    observed = await attempt(stage, sentBy(step, size))
    const isRefused = observed.answers.every(({ body }) => body.includes('QUERY_TOO_COMPLEX'))
    if (!isRefused || judge(observed, judging).length > 0) break
  }
  const problem = observed && worstOf(judge(observed, judging))
  if (!observed || !problem) return undefined
  const { sent, answers } = observed
  const tryAgain = async (again: readonly Sent[]) => {
    const limits = isTimed(problem) ? await limitsNow(stage, judging) : judging
    const other = await attempt(stage, again)
    // Part of a document can be no document: what holds somebody up then is what was sent before.
    if (isInvalid(other.answers) && !isInvalid(answers)) return undefined
    return judge(other, limits).find((each) => isSame(problem, each))
  }
  for (let i = 0; i < TIMES_AGAIN && isTimed(problem); i++) if (!(await tryAgain(sent))) return undefined
  const { caller, worst, number } = step
  return {
    step: number,
    shape: worst.shape,
    caller: caller.name,
    path: pathOf(caller, sent[0]?.call),
    problem,
    isTimed: isTimed(problem),
    calls: await smaller(sent, tryAgain),
  }
}

const isInvalid = (answers: readonly CallAnswer[]) => answers.some(({ body }) => /"GRAPHQL_\w+_FAILED"/.test(body))

const sentBy = ({ caller, worst }: Step, size: number): Sent[] => worst.callsOf(size).map((call) => ({ caller, call }))

/** What one of several calls shows by itself. */
const partOf = (observed: Observed, i: number): Observed => ({
  ...observed,
  sent: observed.sent.slice(i, i + 1),
  answers: observed.answers.slice(i, i + 1),
})

async function smaller(
  sent: readonly Sent[],
  tryAgain: (sent: readonly Sent[]) => Promise<Problem | undefined>,
): Promise<Call[]> {
  const calls = sent.map(({ call }) => call)
  const [only, ...others] = sent
  if (!only || others.length > 0 || isPlain(only.call) || typeof only.call.query !== 'string') return calls
  const end = performance.now() + SHRINK_MS
  const stillFails = async (call: GraphqlCall) =>
    performance.now() < end && (await tryAgain([{ ...only, call }])) !== undefined
  return [await shrink(only.call, stillFails, SHRINK_TRIES)]
}
