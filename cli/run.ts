import { showError } from './errors.ts'
import { createProgram } from './program.ts'
import type { Terminal } from './terminal.ts'

/** Runs one command, given as the arguments after `portal`; prints errors to stderr and returns the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const json = args.includes('--json')
  try {
    await createProgram({ ...terminal, json }).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return showError(terminal, error, { json })
  }
}
