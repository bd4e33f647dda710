import { attempt, type Stage } from './attempt.ts'
import { isSame, isTimed, type JudgeOptions, judge, type Problem, worstOf } from './judge.ts'
import { pathOf } from './send.ts'
import type { Step } from './steps.ts'
import { DEAR_ANSWER_MS, type Found, TIMES_AGAIN } from './take.ts'
import { limitsNow } from './watch-bystander.ts'

/** Several calls and what follows from them; again where time was the trouble, then each of them alone. */
export async function takeScene(stage: Stage, step: Step, given: JudgeOptions): Promise<Found | undefined> {
  const { number, caller, worst } = step
  const { shape, sizes } = worst
  const judging = { ...given, answerMs: DEAR_ANSWER_MS }
  let [size = 1, attempts] = [sizes[0], 0]
  const sentNow = () => {
    const own = worst.callsOf(size, attempts++).map((call) => ({ caller, call }))
    return [...own, ...(worst.beside ?? [])]
  }

  let sent = sentNow()
  let observed = await attempt(stage, sent, worst)
  for (const smaller of sizes.slice(1)) {
    if (!observed.answers.every(({ body }) => body.includes('QUERY_TOO_COMPLEX'))) break
    size = smaller
    sent = sentNow()
    observed = await attempt(stage, sent, worst)
  }
  const { bytes = 0, points = 0 } = observed.stored ?? {}
  if (points > 0) stage.bytesOfPoint.set(shape, Math.round(bytes / points))
  const problem = worstOf(judge(observed, judging))
  if (!problem) return undefined

  const isAgain = async (which: (i: number) => boolean): Promise<Problem | undefined> => {
    const limits = await limitsNow(stage, judging)
    const other = await attempt(
      stage,
      sentNow().filter((_, i) => which(i)),
      worst,
    )
    return judge(other, limits).find((each) => isSame(problem, each))
  }
  for (let i = 0; i < TIMES_AGAIN && isTimed(problem); i++) if (!(await isAgain(() => true))) return undefined
  let calls = sent.map(({ call }) => call)
  for (const [i, call] of calls.entries()) {
    if (worst.inTurn || worst.beside || !(await isAgain((each) => each === i))) continue
    calls = [call]
    break
  }
  const path = pathOf(caller, calls[0])
  return { step: number, shape, caller: caller.name, path, problem, isTimed: isTimed(problem), calls }
}
