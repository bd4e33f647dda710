import { type Clock, SECOND } from '../lib/clock.ts'
import { BACKOFF, type ToParent, type ToWorkers } from '../lib/leases/messages.ts'
import { answeredWithin } from '../lib/within.ts'
import { type BackoffRule, createMemoryBackoff, type LoginBackoff } from './login-backoff.ts'

/** A password takes longer than this question does, so there is time to wait for the answer. */
const ANSWER_MS = 2 * SECOND

interface Question {
  what: keyof LoginBackoff
  name: string
  rule: BackoffRule
  who: string
}

/** The attempts that all workers of one parent have seen: it is asked for each. */
export function createParentBackoff(parent: ToParent, name: string, rule: BackoffRule): LoginBackoff {
  const ask = <Answer>(what: Question['what'], who: string) =>
    answeredWithin(ANSWER_MS, parent.ask<Answer>(BACKOFF, { what, name, rule, who } satisfies Question))
  return {
    count: (who) => ask('count', who),
    giveBack: (who) => ask('giveBack', who),
    forget: (who) => ask('forget', who),
  }
}

/** In the parent: counts the attempts that its workers see. */
export function answerBackoffs(workers: ToWorkers, now: Clock): void {
  const backoffs = new Map<string, LoginBackoff>()
  workers.onAsk(BACKOFF, (_worker, question) => {
    const { what, name, rule, who } = question as Question // both ends are of one release
    const backoff = backoffs.get(name) ?? createMemoryBackoff(now, rule)
    backoffs.set(name, backoff)
    return backoff[what](who)
  })
}
