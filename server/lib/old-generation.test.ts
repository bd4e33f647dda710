import { expect, it } from 'vitest'
import { runScript } from '../../test/support/run-script.ts'

const MODULE = import.meta.resolve('./old-generation.ts')

/** Objects that live for a while, in a list of constant length: how large the heap gets, against what is in use. */
const SCRIPT = `
  import { limitOldGeneration } from '${MODULE}'
  if (process.argv[1] === 'limited') limitOldGeneration()
  const inUse = () => process.memoryUsage().heapUsed
  const list = Array.from({ length: 100_000 }, (_, n) => ({ n, text: 'x' + n }))
  gc()
  const least = inUse()
  let most = 0
  for (let i = 0; i < 1_000_000; i++) {
    list[(i * 7919) % list.length] = { n: i, text: 'x' + i }
    if (i % 10_000 === 0) most = Math.max(most, inUse())
  }
  console.log(most / least)
`

const growth = async (how: 'limited' | 'as it is') =>
  Number(await runScript(SCRIPT, [how], ['--expose-gc', '--max-semi-space-size=1']))

it('old objects are collected before the heap is three times what is in use, as it otherwise is', async () => {
  expect(await growth('limited')).toBeLessThan(3)
  expect(await growth('as it is')).toBeGreaterThan(3)
})
