import { expect, it } from 'vitest'
import { isMet } from '../report.ts'
import { RUNS } from '../runs.ts'

const seed = Date.now() % 1_000_000

it.each(Object.entries(RUNS))('%s, in short: $shows', async (_name, { run }) => {
  const { figures, wrong } = await run({ quick: true, seed, say: () => {} })
  expect(wrong, `seed ${seed}`).toEqual([])
  expect(
    figures.filter((figure) => !isMet(figure)),
    `seed ${seed}`,
  ).toEqual([])
  expect(figures.length).toBeGreaterThan(0)
})
