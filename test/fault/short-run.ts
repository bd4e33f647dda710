import { it } from 'vitest'
import { seed } from '../support/seed.ts'
import { keepFailure } from './kept-failures.ts'
import { type Effort, failureOf } from './report.ts'
import { RUNS } from './runs.ts'

/** A run as a test: all that it wants was seen, and nothing that must not be. `SEED=` repeats it. */
export function testRun(name: keyof typeof RUNS, effort: Exclude<Effort, 'full'>): void {
  const { shows, run } = RUNS[name]
  it(`${name}, in short: ${shows}`, async () => {
    const result = await run({ effort, seed, say: () => {} })
    for (const words of result.leftOut ?? []) process.stderr.write(`${name}: left out: ${words}\n`)
    const failure = failureOf({ run: name, ...result }, seed)
    if (failure) throw new Error(`${failure}\nAlso in ${keepFailure(name, seed, failure)}`) // a comparison would show a part of it
  })
}
