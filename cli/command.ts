import type { Command } from 'commander'
import { PORTAL } from '../server/lib/command-name.ts'
import { print, printJson, type Terminal } from './terminal.ts'

interface Description {
  name: string
  message: string
  example: string
}

/** The output of a command: as one JSON document, and as text. */
export interface Answer {
  document: unknown
  text: string
}

/** Adds a command with what all of them share: `--json`, and an example in the help. */
export function addCommand(to: Command, { name, message, example }: Description): Command {
  return to
    .command(name)
    .description(message)
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExample:\n  ${PORTAL} ${example}`)
}

/** Turns a function into a commander action that prints its answer in the requested format. */
export function answering<Args extends unknown[]>(terminal: Terminal, work: (...args: Args) => Promise<Answer>) {
  return async function (this: Command, ...args: Args): Promise<void> {
    const { document, text } = await work(...args)
    if (this.opts()['json']) printJson(terminal.stdout, document)
    else print(terminal.stdout, `${text}\n`)
  }
}
