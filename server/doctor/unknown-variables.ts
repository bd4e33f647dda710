import { SECRET_VARIABLES } from '../config/secret-variables.ts'
import { VARIABLES } from '../config.ts'
import { type Finding, type Found, type Installation, orSuccess, warning } from './result.ts'

const KNOWN = [...Object.keys(VARIABLES), ...SECRET_VARIABLES.map((name) => `${name}_FILE`)]
/** No other program has variables that begin like this. */
const OURS = /^(PORTAL|RETAIN|BACKUP|WEBHOOK)_/
/** Shorter names, such as PORT and HOST, differ in one or two characters from many that are not ours. */
const SHORTEST_TYPO = 6
const MAX_TYPOS = 2

/** Variables that the portal does not read, but that look as if somebody meant one that it reads. */
export const unknownVariables = ({ env }: Pick<Installation, 'env'>): Found =>
  orSuccess(suspiciousVariables(Object.keys(env)), 'No variable looks like a mistyped one.')

/** A finding for each of these names that is probably a mistake. */
export function suspiciousVariables(names: readonly string[]): Finding[] {
  return names.flatMap((name) => {
    if (KNOWN.includes(name)) return []
    const meant = KNOWN.find((known) => isMeant(name, known))
    if (meant) return warning(`${name} is set, and the portal does not read it.`, `Did you mean ${meant}?`)
    if (OURS.test(name))
      return warning(`${name} is set, and the portal does not read it.`, 'Remove it, or see the list of variables.')
    return []
  })
}

/** Whether two names differ in case or underscores alone, in `_FILE` where there is no secret, or by one or two typos. */
function isMeant(name: string, known: string): boolean {
  const [mine, theirs] = [name, known].map((text) => text.toUpperCase().replaceAll('_', ''))
  if (mine === undefined || theirs === undefined || name === known) return false
  if (mine === theirs || name === `${known}_FILE`) return true
  return theirs.length >= SHORTEST_TYPO && distance(mine, theirs) <= (theirs.length > SHORTEST_TYPO ? MAX_TYPOS : 1)
}

/** How many characters have to be added, removed or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, character] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (character === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
