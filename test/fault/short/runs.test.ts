import { expect, it } from 'vitest'
import { isMet } from '../report.ts'
import { RUNS } from '../runs.ts'

const seed = Date.now() % 1_000_000

for (const [name, { shows, run }] of Object.entries(RUNS)) {
  it(`${name}, in short: ${shows}`, async () => {
    const { figures, wrong } = await run({ quick: true, seed, say: () => {} })
    expect(wrong, `seed ${seed}`).toEqual([])
    const missed = figures.filter((figure) => !isMet(figure))
    expect(missed, `seed ${seed}`).toEqual([])
  })
}
