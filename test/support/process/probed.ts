import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Look, Question } from './probe.ts'

const ANSWER_WITHIN_MS = 20_000

/**
 * How Node.js is started with the probe in it. The young generation is so large that nothing is collected while tens of
 * megabytes are allocated, and no compiler optimizes: it would spare some allocations, sooner on one machine than on another.
 * What is left is what the code asks for, the same within half a percent from run to run, however busy the machine is.
 */
export const PROBED = [
  ...['--min-semi-space-size=64', '--max-semi-space-size=64', '--no-opt', '--no-maglev', '--expose-gc'],
  ...['--import', fileURLToPath(import.meta.resolve('./probe.ts'))],
]

/** Asks the probe in a process, one question at a time. */
export const askProbe =
  (child: ChildProcess) =>
  async (question: Question): Promise<Look> => {
    child.send(question)
    const [look] = await once(child, 'message', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    return look
  }
