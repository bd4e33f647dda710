import type { GeneratedKey } from '../../../api/api-keys.ts'

type Start = Pick<GeneratedKey['apiKey'], 'notBefore' | 'paused' | 'pausedUntil'>

const inFull = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const momentOf = (moment: string) => inFull.format(new Date(moment))
const isToCome = (moment: string | null) => moment !== null && Date.parse(moment) > Date.now()

/** Of a new key, after its label. */
export function stateInWords({ notBefore, paused }: Start): string {
  if (paused) return 'is paused, like the key that it replaces.'
  return notBefore && isToCome(notBefore) ? `is active from ${momentOf(notBefore)}.` : 'is active.'
}

/** Until when a first call with a new key would be refused; undefined when it would be accepted. */
export function refusedUntil({ notBefore, paused, pausedUntil }: Start): string | undefined {
  if (paused && pausedUntil === null) return 'Calls are refused until the key is resumed.'
  if (paused && isToCome(pausedUntil)) return `Calls are refused until the key resumes, ${momentOf(pausedUntil ?? '')}.`
  return notBefore && isToCome(notBefore) ? `Calls are refused until ${momentOf(notBefore)}.` : undefined
}
