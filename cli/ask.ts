import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { badInput } from '../server/lib/check.ts'
import { SECOND } from '../server/lib/clock.ts'

const PIPED_ANSWER_WITHIN_MS = 5 * SECOND

/** Whether `y` or `yes` was answered: on the terminal, or else in the first line that is piped in, soon. */
export async function confirm(question: string, { json }: { json: boolean }): Promise<boolean> {
  if (!process.stdin.isTTY && !json) process.stderr.write(`${question}\n`) // as JSON, stderr is for the error alone
  const answer = process.stdin.isTTY ? await ask(question, process.stderr) : await readPiped(PIPED_ANSWER_WITHIN_MS)
  return /^\s*y(es)?\s*$/i.test(answer ?? '')
}

/** A new password: typed twice and unseen on a terminal, or else the first line that is piped in. */
export async function readNewPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askUnseen('Password: ') : await readPiped()
  if (password === undefined) {
    throw badInput('password', 'password: none was given. Type it, or pipe it in as the first line.')
  }
  if (process.stdin.isTTY && (await askUnseen('The same again: ')) !== password) {
    throw badInput('password', 'password: typed differently the second time.')
  }
  return password
}

async function askUnseen(question: string): Promise<string | undefined> {
  process.stderr.write(question)
  const answer = await ask('', new Writable({ write: (_typed, _encoding, done) => done() }))
  if (answer !== undefined) process.stderr.write('\n')
  return answer
}

async function ask(question: string, echo: NodeJS.WritableStream): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: echo, terminal: true })
  terminal.once('SIGINT', () => terminal.close())
  const answer = await lineOrEnd(terminal, (take) => terminal.question(question, take))
  if (answer === undefined) process.stderr.write('\n')
  return answer
}

async function readPiped(withinMs?: number): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin })
  const timer = withinMs === undefined ? undefined : setTimeout(() => lines.close(), withinMs)
  try {
    return await lineOrEnd(lines, (take) => lines.once('line', take))
  } finally {
    clearTimeout(timer)
  }
}

/** One line, or undefined when stdin ends or is closed before. */
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
