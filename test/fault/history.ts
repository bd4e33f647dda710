/** What a client saw: 'unknown' when it cannot tell whether it happened (a 503, a timeout, a lost connection). */
export type Verdict = 'accepted' | 'refused' | 'unknown'

/** One operation on one key, from before it was sent until its answer was there, on one clock that only goes forward. */
export interface Operation {
  key: string
  kind: 'generate' | 'call' | 'revoke'
  start: number
  /** Infinity while there is no answer. */
  end: number
  answer: Verdict
}

/** What breaks the promise: the operation at fault, and the one that it cannot be squared with. */
export interface Violation {
  rule:
    | 'accepted after its revoke had answered'
    | 'refused before any revoke had started'
    | 'accepted after it had been refused'
    | 'revoked twice'
  key: string
  wrong: Operation
  /** Undefined: nobody ever tried to revoke the key. */
  against: Operation | undefined
}

/**
 * Every violation in a history. A key is a register that goes from active to gone once, at some moment of its revoke; a
 * call sees one state of it at some moment between its start and its end. That such moments exist is the same as: no
 * accepted call begins after an answer that says gone, and none says gone before a revoke has begun.
 */
export function violationsIn(history: Iterable<Operation>): Violation[] {
  return [...Map.groupBy(history, ({ key }) => key)].flatMap(([key, operations]) => violationsOf(key, operations))
}

/**
 * The only rule that a restored database must keep: keys and unanswered revokes that were lost with it are lost, and
 * 'there is no such key' may have been said by a server that never had it.
 */
export const acceptedLate = (history: Iterable<Operation>): Violation[] =>
  violationsIn(history).filter(
    ({ rule, against }) => rule === 'accepted after its revoke had answered' && against?.answer === 'accepted',
  )

function violationsOf(key: string, operations: Operation[]): Violation[] {
  requireWhole(key, operations)
  const are = (kind: Operation['kind'], answer: Verdict) =>
    operations.filter((operation) => operation.kind === kind && operation.answer === answer)
  const [revoked, ...again] = are('revoke', 'accepted')
  const foundGone = are('revoke', 'refused') // 'there is no such key' says that an earlier attempt has happened
  const [accepted, refused] = [are('call', 'accepted'), are('call', 'refused')]

  const answeredFirst = earliest([...(revoked ? [revoked] : []), ...foundGone], 'end')
  const refusedFirst = earliest(refused, 'end')
  const begunFirst = revoked ?? earliest(are('revoke', 'unknown'), 'start')
  const found = (rule: Violation['rule'], against: Operation | undefined) => (wrong: Operation) => {
    return { rule, key, wrong, against }
  }
  return [
    ...accepted
      .filter(({ start }) => answeredFirst && start > answeredFirst.end)
      .map(found('accepted after its revoke had answered', answeredFirst)),
    ...accepted
      .filter(({ start }) => refusedFirst && start > refusedFirst.end)
      .map(found('accepted after it had been refused', refusedFirst)),
    ...[...refused, ...foundGone]
      .filter(({ end }) => !begunFirst || end < begunFirst.start)
      .map(found('refused before any revoke had started', begunFirst)),
    ...again.map(found('revoked twice', revoked)),
  ]
}

/** A call needs the secret, which is in the answer of the generate: any other history was recorded wrongly. */
function requireWhole(key: string, operations: Operation[]): void {
  const generate = operations.find(({ kind }) => kind === 'generate')
  const early = operations.find((operation) => operation !== generate && !(operation.start >= (generate?.end ?? NaN)))
  if (early) throw new Error(`The history of ${key} has a ${early.kind} before the key was there.`)
}

function earliest(operations: Operation[], at: 'start' | 'end'): Operation | undefined {
  return operations.reduce<Operation | undefined>(
    (first, operation) => (first && first[at] <= operation[at] ? first : operation),
    undefined,
  )
}
