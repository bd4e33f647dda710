import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { badInput } from '../server/lib/check.ts'
import { SECOND } from '../server/lib/clock.ts'
import { printable } from '../server/lib/plain-text.ts'
import { print, type Terminal } from './terminal.ts'

const PIPED_ANSWER_WITHIN_MS = 5 * SECOND

/** Whether the answer is `y` or `yes`: on the terminal, or the first line of stdin, within a time limit. */
export async function confirm(terminal: Terminal, question: string, { json }: { json: boolean }): Promise<boolean> {
  const { stdin, stderr } = terminal
  if (!stdin.isTTY && !json) print(stderr, `${question}\n`) // with --json, stderr is for the error only
  const answer = stdin.isTTY ? await ask(terminal, question, stderr) : await readPiped(stdin, PIPED_ANSWER_WITHIN_MS)
  return /^\s*y(es)?\s*$/i.test(answer ?? '')
}

/** A new password: typed twice without echo on a terminal, or the first line of stdin. */
export async function readNewPassword(terminal: Terminal): Promise<string> {
  const { stdin } = terminal
  const password = stdin.isTTY ? await askUnseen(terminal, 'Password: ') : await readPiped(stdin)
  if (password === undefined) {
    throw badInput('password', 'password: none was given. Type it, or pipe it in as the first line.')
  }
  if (stdin.isTTY && (await askUnseen(terminal, 'The same again: ')) !== password) {
    throw badInput('password', 'password: typed differently the second time.')
  }
  return password
}

/** The passphrase of a backup that exists: typed without echo on a terminal, or the first line of stdin. */
export async function readPassphrase(terminal: Terminal): Promise<string | undefined> {
  const { stdin } = terminal
  return stdin.isTTY ? askUnseen(terminal, 'Passphrase: ') : readPiped(stdin, PIPED_ANSWER_WITHIN_MS)
}

/** The secret of a key: typed without echo on a terminal, or the first line of stdin. */
export async function readSecret(terminal: Terminal): Promise<string> {
  const { stdin } = terminal
  const secret = stdin.isTTY ? await askUnseen(terminal, 'Secret: ') : await readPiped(stdin, PIPED_ANSWER_WITHIN_MS)
  if (secret === undefined)
    throw badInput('secret', 'secret: none was given. Type it, or pipe it in as the first line.')
  return secret
}

/** The passphrase of a new backup: twice on a terminal. */
export async function readNewPassphrase(terminal: Terminal): Promise<string | undefined> {
  const passphrase = await readPassphrase(terminal)
  if (terminal.stdin.isTTY && (await askUnseen(terminal, 'The same again: ')) !== passphrase)
    throw badInput('passphrase', 'passphrase: typed differently the second time.')
  return passphrase
}

async function askUnseen(terminal: Terminal, question: string): Promise<string | undefined> {
  print(terminal.stderr, question)
  const answer = await ask(terminal, '', new Writable({ write: (_typed, _encoding, done) => done() }))
  if (answer !== undefined) print(terminal.stderr, '\n')
  return answer
}

async function ask({ stdin, stderr }: Terminal, question: string, echo: NodeJS.WritableStream) {
  const lines = createInterface({ input: stdin, output: echo, terminal: true })
  lines.once('SIGINT', () => lines.close())
  const answer = await lineOrEnd(lines, (take) => lines.question(printable(question), take))
  if (answer === undefined) print(stderr, '\n')
  return answer
}

async function readPiped(stdin: Terminal['stdin'], withinMs?: number): Promise<string | undefined> {
  const lines = createInterface({ input: stdin })
  const timer = withinMs === undefined ? undefined : setTimeout(() => lines.close(), withinMs)
  try {
    return await lineOrEnd(lines, (take) => lines.once('line', take))
  } finally {
    clearTimeout(timer)
  }
}

/** One line; undefined if stdin ends or is closed before it. */
async function lineOrEnd(lines: Interface, next: (take: (line: string) => void) => void): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  lines.once('close', () => resolve(undefined))
  next(resolve)
  try {
    return await promise
  } finally {
    lines.close()
  }
}
