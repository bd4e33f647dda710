import { expect } from 'vitest'
import type { Answer } from './http.ts'
import { eventsOf } from './people.ts'
import { runPortal } from './portal-process.ts'
import type { World } from './world.ts'

/** `portal` on the database of a world whose server is running; each command is a process of its own. */
export function commandLineOf(world: World) {
  world.clock.advance(Date.now() - world.clock.now()) // those processes go by the real time, so the server does too

  const run = (args: string[], stdin = '') =>
    runPortal(args, { env: { ...world.storage.env, BASE_URL: world.url }, stdin })

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
