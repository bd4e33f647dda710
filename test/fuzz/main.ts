import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { moveToMemory } from '../../scripts/test/memory-folder.ts'
import { seed as ownSeed } from '../support/seed.ts'
import { describe, hasPassed, type RunReport } from './report.ts'
import { runFuzz } from './run.ts'
import { serve } from './serve.ts'
import type { DatabaseName } from './store.ts'

const USAGE = `npm run test:fuzz [-- [--seed N] [--seconds S] [--database sqlite|postgres|both] [--step N] [--serve] [--json FILE]]
  --seed      (or SEED=N) the same documents in the same order once more
  --seconds   for how long on each database, 60 unless told
  --database  both unless told
  --step      this step of the seed alone
  --serve     starts what the documents are sent to, says how to call as each caller, and waits
  --json      everything that was seen, to a file`

const OPTIONS = {
  seed: { type: 'string' },
  seconds: { type: 'string', default: '60' },
  database: { type: 'string', default: 'both' },
  step: { type: 'string' },
  serve: { type: 'boolean' },
  json: { type: 'string' },
} as const

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.on(signal, () => process.exit(code))
}
moveToMemory() // a bystander whose commits wait for a disk uses as much time as those who hold it up
try {
  process.exit((await main(process.argv.slice(2))) ? 0 : 1)
} catch (error) {
  process.stderr.write(`\nThe fuzz run has failed. ${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
}

async function main(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: OPTIONS })
  const [seed, seconds] = [Number(values.seed ?? ownSeed), Number(values.seconds)]
  const only = values.step === undefined ? undefined : Number(values.step)
  const databases = databasesOf(values.database)
  if (!databases || [seed, seconds, only ?? 0].some((number) => !Number.isFinite(number))) throw new Error(USAGE)
  if (values.serve) return serve(databases[0] ?? 'sqlite')
  const reports: RunReport[] = []
  for (const database of databases) {
    const say = (words: string) => process.stderr.write(`fuzz: ${words}\n`)
    say(`seed ${seed}`)
    const report = await runFuzz({ database, seed, seconds, only, say })
    process.stdout.write(`\n${describe(report)}\n`)
    reports.push(report)
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify(reports, null, 2)}\n`)
  return reports.every(hasPassed)
}

function databasesOf(name: string): DatabaseName[] | undefined {
  if (name === 'both') return ['sqlite', 'postgres']
  return name === 'sqlite' || name === 'postgres' ? [name] : undefined
}
