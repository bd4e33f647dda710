import { type Operation, type Violation, violationsIn } from './history.ts'

/** When a database was copied back. */
export interface Restore {
  start: number
  end: number
}

const REFUSED_ONCE: Violation['rule'] = 'accepted after it had been refused'
const REFUSED_EARLY: Violation['rule'] = 'refused before any revoke had started'

/**
 * Every violation in a history in which the database was copied back. A revoke that was answered counts for ever. One
 * that was not may be undone by a restore, and be repeated: so that a key stays refused is required from one restore to
 * the next only.
 */
export function violationsOverRestores(history: readonly Operation[], restores: readonly Restore[]): Violation[] {
  const cutOff = Map.groupBy(
    history.filter(({ kind, answer }) => kind === 'revoke' && answer === 'unknown'),
    ({ key }) => key,
  )
  const mayHaveBegun = ({ rule, key, wrong }: Violation) =>
    rule === REFUSED_EARLY && (cutOff.get(key) ?? []).some(({ start }) => start <= wrong.end)
  const forEver = violationsIn(history).filter((each) => each.rule !== REFUSED_ONCE && !mayHaveBegun(each))
  const between = [...restores, { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY }].flatMap(
    ({ start: until }, place) => {
      const since = restores[place - 1]?.end ?? 0
      return violationsIn(
        history.filter(({ kind, start, end }) => kind === 'generate' || (start >= since && end <= until)),
      ).filter(({ rule }) => rule === REFUSED_ONCE)
    },
  )
  return [...forEver, ...between]
}
