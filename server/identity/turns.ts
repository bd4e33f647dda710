import { Failure } from '../lib/failure.ts'

/** Lets a few work at once; the next ones stand in line, and once the line is full the answer is 503. */
export function createTurns({ atOnce, inLine }: { atOnce: number; inLine: number }) {
  const line: (() => void)[] = []
  let working = 0

  return async function takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (working < atOnce) working++
    else await standInLine()
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next)
        next() // takes over the place, so `working` stays
      else working--
    }
  }

  function standInLine(): Promise<void> {
    if (line.length >= inLine) throw new Failure('UNAVAILABLE', { retryAfterSeconds: 1 })
    return new Promise((enter) => line.push(enter))
  }
}
