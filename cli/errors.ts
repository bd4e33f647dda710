import { CommanderError } from 'commander'
import { AppError, allErrorsIn, type ErrorCode, OperatorError } from '../server/lib/app-error.ts'
import { PORTAL } from '../server/lib/command-name.ts'
import { print, printJson, type Terminal } from './terminal.ts'

const REFUSED = 1
const USAGE = 2

interface CliError {
  code: ErrorCode | 'NOT_CONFIRMED'
  message: string
  exitCode: number
  /** Each of several that were found at once, as in an input with several bad fields. */
  errors?: { code: ErrorCode; message: string; field?: string }[]
}

/** The question was not answered with yes. */
export class NotConfirmed extends Error {}

/** The command has said everything itself; only the exit code is left. */
export class Reported extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super('The command has reported a failure.')
    this.exitCode = exitCode
  }
}

/** Prints the error to stderr, in one sentence or as JSON, and returns the exit code. */
export function showError({ stderr }: Terminal, error: unknown, { json }: { json: boolean }): number {
  if (error instanceof CommanderError && isHelp(error)) return error.exitCode === 0 ? 0 : USAGE
  if (error instanceof Reported) return error.exitCode
  const { exitCode, ...shown } = errorOf(error)
  const { message } = shown
  if (json) printJson(stderr, { error: shown })
  else print(stderr, `${message}\n`)
  return exitCode
}

/**
 * For a command that prints a secret: if the database connection is lost during the command, the key may or may not
 * exist, and `howToFindOut` says how to find out.
 */
export async function orOutcomeUnknown<Result>(work: Promise<Result>, howToFindOut: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const isRefusal = error instanceof AppError && error.code !== 'UNAVAILABLE' && error.code !== 'INTERNAL'
    if (isRefusal) throw error
    const reason = errorOf(error).message
    const message = `${reason} It is not known whether this was done, and its secret is lost: ${howToFindOut} If a new key is there, revoke it and try again.`
    throw new AppError('UNAVAILABLE', { message, cause: error })
  }
}

const isHelp = ({ code }: CommanderError) =>
  ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code)

/** The error as text and as an exit code: 2 for wrong usage, 1 for a refusal. */
export function errorOf(error: unknown): CliError {
  if (error instanceof CommanderError) {
    return { code: 'BAD_USER_INPUT', message: usageSentence(error.message), exitCode: USAGE }
  }
  if (error instanceof AppError) {
    const all = allErrorsIn(error)
    const message = [...new Set(all.map((each) => each.message))].join(' ')
    const exitCode = error.code === 'BAD_USER_INPUT' ? USAGE : REFUSED
    return { code: error.code, message, exitCode, ...(all.length > 1 && { errors: all.map(toItem) }) }
  }
  if (error instanceof NotConfirmed) return { code: 'NOT_CONFIRMED', message: error.message, exitCode: REFUSED }
  if (error instanceof OperatorError) return { code: 'UNAVAILABLE', message: error.message, exitCode: REFUSED }
  const reason = error instanceof Error ? error.message : String(error)
  return { code: 'INTERNAL', message: `Something went wrong: ${reason}`, exitCode: REFUSED }
}

const toItem = ({ code, message, details: { field } }: AppError) => ({
  code,
  message,
  ...(field !== undefined && { field }),
})

/** Commander's message without the surplus arguments: one of them may be a password. */
function usageSentence(words: string): string {
  const plain = words
    .replace(/^error: /, '')
    .replace(/(but got \d+): .*$/s, '$1.')
    .replace(/'(--?[\w-]+)=.*'/s, "'$1'")
    .replace(/\s*\n\s*/g, ' ')
  const sentence = plain.charAt(0).toUpperCase() + plain.slice(1)
  return `${sentence}${/[.?)]$/.test(sentence) ? '' : '.'} See ${PORTAL} --help.`
}
