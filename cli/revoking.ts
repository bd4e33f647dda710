import { confirm } from './ask.ts'
import { NotConfirmed } from './errors.ts'
import type { Terminal } from './terminal.ts'

export interface Asking {
  yes?: boolean
  json?: boolean
}

/** Goes on only after a yes, which may have been given on the command line. */
export async function askToRevoke(
  terminal: Terminal,
  question: string,
  { yes = false, json = false }: Asking,
): Promise<void> {
  if (yes || (await confirm(terminal, question, { json }))) return
  throw new NotConfirmed('Nothing was revoked: answer yes, or give --yes.')
}

/** The question, what it is about, and what a yes means. */
export const questionAbout = (question: string, list: string) =>
  [
    question,
    '',
    list,
    '',
    'This is permanent, and everything that uses what is revoked loses access at once. Answer yes to go on: ',
  ].join('\n')

/** What became of keys that were listed. */
export interface Outcome {
  revoked: readonly string[]
  /** Gone already, or in use again, when the answer came. */
  left: readonly string[]
}

/** The ids of a list, parted by whether they are among those that were revoked. */
export const outcomeOf = (listed: readonly string[], revoked: readonly string[]): Outcome => ({
  revoked,
  left: listed.filter((id) => !revoked.includes(id)),
})

/** The same in words, a line each; `were` says what those that were not revoked had become. */
export const inWords = ({ revoked, left }: Outcome, { at, were }: { at: string; were: string }) =>
  [
    `Revoked ${at}, for good: ${revoked.join(', ') || 'none'}`,
    ...(left.length === 0
      ? []
      : [`Not revoked, because ${left.length === 1 ? 'it was' : 'they were'} ${were}: ${left.join(', ')}`]),
  ].join('\n')
