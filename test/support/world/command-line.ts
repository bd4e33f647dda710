import { Readable, Writable } from 'node:stream'
import { expect } from 'vitest'
import { run as runCommand } from '../../../cli/run.ts'
import { systemClock } from '../../../server/lib/clock.ts'
import type { Output } from '../process/portal-process.ts'
import type { Answer } from './http.ts'
import { eventsOf } from './people.ts'
import { startWorld, type World } from './world.ts'

/** Types once the command waits for it. */
type Typing = () => AsyncIterable<string>

/**
 * A command of `portal` with these variables and no others, within this process: all of it but the start of Node.js. Without
 * a PORT, no portal on this machine is taken for its own.
 */
export async function runInProcess(
  args: string[],
  { env = {}, stdin = '', typing }: { env?: Record<string, string>; stdin?: string; typing?: Typing } = {},
): Promise<Output> {
  const printed = { stdout: '', stderr: '' }
  const gather = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        printed[name] += chunk
        done()
      },
    })
  const streams = {
    stdin: Readable.from(typing?.() ?? [stdin]),
    stdout: gather('stdout'),
    stderr: gather('stderr'),
  }
  const code = await runCommand(args, { ...streams, env: { PORT: '0', ...env } })
  return { code, ...printed }
}

export type CommandLine = ReturnType<typeof commandLineOf>

/** A world with its command line. Commands go by the real time, so the server does too. */
export async function startWithCommandLine(options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld({ now: systemClock, ...options })
  return { ...world, portal: commandLineOf(world) }
}

/** `portal` on the database of a world whose server is running. */
function commandLineOf(world: World) {
  const run = (args: string[], typed: string | Typing = '') =>
    runInProcess(args, {
      env: { ...world.storage.env, BASE_URL: world.url },
      ...(typeof typed === 'string' ? { stdin: typed } : { typing: typed }),
    })

  /** The one JSON document that a command prints. */
  async function answerOf<Document>(args: string[], stdin?: string): Promise<Document> {
    const { code, stdout, stderr } = await run([...args, '--json'], stdin)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  /** How a command is refused: nothing on stdout, one JSON document on stderr. */
  async function refusalOf(args: string[], stdin?: string): Promise<{ code: number | null; error: object }> {
    const { code, stdout, stderr } = await run([...args, '--json'], stdin)
    expect(stdout).toBe('')
    return { code, ...JSON.parse(stderr) }
  }

  return { run, answerOf, refusalOf }
}

export const AUDIT = '{ auditEvents { data { action subject details actor { kind name } } } }'

/** The audit log as sentences: what, to whom, how, and by which kind of actor. */
export const auditLines = (answer: Answer) =>
  eventsOf(answer).map(({ action, subject, details, actor }) =>
    [action, subject, ...(details ? [details] : []), 'by', actor.kind].join(' '),
  )
