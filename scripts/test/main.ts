import { emptyWhenLarge, TEST_COMPILE_CACHE } from './compile-cache.ts'
import { moveToMemory } from './memory-folder.ts'
import { type Result, runAloud, runQuietly } from './run-step.ts'
import { COMMANDS, type Step } from './steps.ts'
import { closingLine, failureList, timeTable } from './time-table.ts'

// Runs the steps of `npm run check`, `npm test` and `npm run test:all`, then reports how long each took.
const name = process.argv[2] ?? ''
const command = Object.hasOwn(COMMANDS, name) && COMMANDS[name]
if (!command) {
  process.stderr.write(`Name what to run: ${Object.keys(COMMANDS).join(', ')}.\n`)
  process.exit(2)
}
emptyWhenLarge(TEST_COMPILE_CACHE)
moveToMemory()
const began = performance.now()
const results = await run(command)
const failed = results.filter((result) => !result.passed).map(({ step }) => step.name)
if (failed.length > 0) process.stdout.write(`\nFailed: ${[failed.join(', '), ...failureList(results)].join('\n')}\n`)
process.stdout.write(`\n${timeTable(results, (performance.now() - began) / 1000)}\n\n`)
process.stdout.write(`${closingLine(results)}\n`)
process.exitCode = failed.length > 0 ? 1 : 0

async function run({ read, test }: { read: Step[]; test: Step[] }): Promise<Result[]> {
  const results = await Promise.all(read.map(runQuietly))
  if (results.some((result) => !result.passed)) return results
  for (const step of test) {
    const isHopeless = results.some((result) => result.step.name === step.needs && !result.passed)
    results.push(isHopeless ? { step, passed: false, seconds: 0 } : await runAloud(step))
  }
  return results
}
