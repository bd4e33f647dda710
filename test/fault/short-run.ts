import { expect, it } from 'vitest'
import { seed } from '../support/seed.ts'
import { type Effort, isMet } from './report.ts'
import { RUNS } from './runs.ts'

/** A run as a test: all that it wants was seen, and nothing that must not be. `SEED=` repeats it. */
export function testRun(name: keyof typeof RUNS, effort: Exclude<Effort, 'full'>): void {
  const { shows, run } = RUNS[name]
  it(`${name}, in short: ${shows}`, async () => {
    const { figures, wrong, leftOut = [] } = await run({ effort, seed, say: () => {} })
    for (const words of leftOut) process.stderr.write(`${name}: left out: ${words}\n`)
    expect(wrong, `SEED=${seed}`).toEqual([])
    expect(
      figures.filter((figure) => !isMet(figure)),
      `SEED=${seed}`,
    ).toEqual([])
  })
}
