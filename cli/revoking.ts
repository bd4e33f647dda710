import { confirm } from './ask.ts'
import { NotConfirmed } from './errors.ts'
import type { Terminal } from './terminal.ts'

export interface Asking {
  yes?: boolean
  json?: boolean
}

/** Asks for confirmation, unless --yes was given; throws without a yes. */
export async function askToRevoke(terminal: Terminal, question: string, asking: Asking): Promise<void> {
  await askFirst(terminal, question, { ...asking, otherwise: 'Nothing was revoked: answer yes, or give --yes.' })
}

/** Asks for confirmation, unless --yes was given; without a yes it throws `otherwise`. */
export async function askFirst(
  terminal: Terminal,
  question: string,
  { yes = false, json = false, otherwise }: Asking & { otherwise: string },
): Promise<void> {
  if (yes || (await confirm(terminal, question, { json }))) return
  throw new NotConfirmed(otherwise)
}

/** The question, the list that it is about, and what a yes means. */
export const questionAbout = (question: string, list: string) =>
  [
    question,
    '',
    list,
    '',
    'This is permanent, and everything that uses what is revoked loses access at once. Answer yes to continue: ',
  ].join('\n')

/** The revoke counts, but could not be written to the ledger. */
export const NOT_DURABLE =
  'Not yet on record outside of the database: restore no backup until the portal has written it to its ledger.'

/** What happened to the listed keys. */
export interface Outcome {
  revoked: readonly string[]
  /** Deleted or used again before the answer. */
  left: readonly string[]
}

/** Splits the listed ids into revoked ones and others. */
export const outcomeOf = (listed: readonly string[], revoked: readonly string[]): Outcome => ({
  revoked,
  left: listed.filter((id) => !revoked.includes(id)),
})

/** The outcome as lines; `were` says why the others were not revoked. */
export const inWords = ({ revoked, left }: Outcome, { at, were }: { at: string; were: string }) =>
  [
    `Revoked ${at}, for good: ${revoked.join(', ') || 'none'}`,
    ...(left.length === 0
      ? []
      : [`Not revoked, because ${left.length === 1 ? 'it was' : 'they were'} ${were}: ${left.join(', ')}`]),
  ].join('\n')
