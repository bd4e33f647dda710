import { confirm } from './ask.ts'
import type { Terminal } from './terminal.ts'
import { NotConfirmed } from './trouble.ts'

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
