import { expect, it } from 'vitest'
import { runScript } from '../../test/support/run-script.ts'

const MODULE = import.meta.resolve('./young-generation.ts')
const LIMIT = 8 * 1024 * 1024

/** Two bursts of objects of which many survive, and between them a collection that returns what it can. */
const SCRIPT = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { limitYoungGeneration } from '${MODULE}'
  const youngBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size
  limitYoungGeneration(${LIMIT})
  const turn = () => new Promise(setImmediate)
  async function burst() {
    let most = 0
    let kept = []
    for (let i = 0; i < 200; i++) {
      for (let n = 0; n < 3000; n++) kept.push({ n, pair: [n, i], text: 'x' + n })
      if (kept.length > 60_000) kept = kept.slice(30_000)
      await turn()
      most = Math.max(most, youngBytes())
    }
    return most
  }
  const first = await burst()
  await gc({ execution: 'async', flavor: 'last-resort' })
  for (let i = 0; i < 5; i++) await turn()
  const between = youngBytes()
  console.log(JSON.stringify({ first, between, second: await burst() }))
`

it('new objects get a limited part of the heap, which shrinks and grows again', async () => {
  const { first, between, second } = JSON.parse(await runScript(SCRIPT, [], ['--expose-gc']))
  expect(between).toBeLessThan(LIMIT / 4)
  for (const most of [first, second]) {
    expect(most).toBeGreaterThan(LIMIT / 2)
    expect(most).toBeLessThanOrEqual(LIMIT * 2) // without a limit, 64 MiB; V8 adds a few pages to what it has
  }
})
