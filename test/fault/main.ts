import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { seed as ownSeed } from '../support/seed.ts'
import { keepFailure } from './kept-failures.ts'
import { failureOf, hasPassed, type RunResult, resultTable } from './report.ts'
import { RUNS } from './runs.ts'

const USAGE = `npm run test:fault [-- [--quick] [--seed N] [--json FILE] [${Object.keys(RUNS).join('|')} …]]
  --quick  each run in some seconds, as npm run test:all has it
  --seed   (or SEED=N) the same choice of faults and of keys once more; how they meet is up to the machine
  --json   everything that was seen, to a file`

const BETWEEN_LINES_MS = 1000

const OPTIONS = { quick: { type: 'boolean' }, seed: { type: 'string' }, json: { type: 'string' } } as const

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(signal, () => process.exit(code))
}
try {
  process.exit((await main(process.argv.slice(2))) ? 0 : 1)
} catch (error) {
  process.stderr.write(`\nThe fault runs have failed. ${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
}

async function main(args: string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS })
  const unknown = positionals.filter((name) => !(name in RUNS))
  if (unknown.length > 0) throw new Error(`There is no run ${unknown.join(', ')}.\n${USAGE}`)
  const seed = Number(values.seed ?? ownSeed)
  const { quick = false } = values

  const results: RunResult[] = []
  for (const [name, { shows, run }] of Object.entries(RUNS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const start = performance.now()
    const seconds = () => (performance.now() - start) / 1000
    const say = createProgress((words) => `${name} ${Math.round(seconds())} s  ${words}\n`)
    say(`${shows}; seed ${seed}`)
    results.push({ run: name, ...(await run({ effort: quick ? 'quick' : 'full', seed, say })), seconds: seconds() })
  }
  process.stdout.write(`\n${resultTable(results)}\n\n`)
  for (const result of results) {
    const failure = failureOf(result, seed)
    if (failure) process.stdout.write(`${failure}\nAlso in ${keepFailure(result.run, seed, failure)}\n\n`)
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ seed, quick, results }, null, 2)}\n`)
  return results.every(hasPassed)
}

/** At most a line a second. */
function createProgress(line: (words: string) => string): (words: string) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return (words) => {
    if (performance.now() - saidAt < BETWEEN_LINES_MS) return
    saidAt = performance.now()
    process.stderr.write(line(words))
  }
}
