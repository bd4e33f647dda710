import { Failure } from '../lib/failure.ts'
import { noteLimitRefusal, rateLimited } from '../limits.ts'

interface Room {
  atOnce: number
  /** Of all sources together, and of one: how many may wait. */
  inLine: number
  inLineOfSource: number
}

/** Runs a piece of work when its turn has come. */
export type TakeTurn = <Result>(source: string, work: () => Promise<Result>) => Promise<Result>

/**
 * Lets a few work at once. The others wait, and their sources take turns: however many wait from one source, somebody from
 * another one waits for one piece of work of each.
 */
export function createTurns({ atOnce, inLine, inLineOfSource }: Room): TakeTurn {
  const lines = new Map<string, (() => void)[]>() // the first source is the next, and goes to the end
  let working = 0
  let waiting = 0

  return async function takeTurn(source, work) {
    if (working < atOnce) working++
    else await standInLine(source)
    try {
      return await work()
    } finally {
      const enter = nextInLine()
      if (enter)
        enter() // takes over the place, so `working` stays
      else working--
    }
  }

  function standInLine(source: string): Promise<void> {
    const line = lines.get(source) ?? []
    if (line.length >= inLineOfSource) {
      throw rateLimited(
        'passwords_of_source',
        1,
        'Too many passwords at once from where you are: try again in a second.',
      )
    }
    if (waiting >= inLine) {
      noteLimitRefusal('passwords')
      throw new Failure('UNAVAILABLE', { retryAfterSeconds: 1 })
    }
    lines.set(source, line)
    waiting++
    return new Promise((enter) => line.push(enter))
  }

  function nextInLine(): (() => void) | undefined {
    const [source, line] = lines.entries().next().value ?? []
    if (source === undefined || !line) return undefined
    lines.delete(source)
    const enter = line.shift()
    if (line.length > 0) lines.set(source, line)
    waiting--
    return enter
  }
}
