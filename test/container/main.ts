import { parseArgs } from 'node:util'
import { provideBase } from './base-image.ts'
import { CHECKS, COMPOSE_CHECK } from './checks.ts'
import { describeEngine, type Engine, installedEngines, tryEngine } from './engine.ts'
import { buildImage } from './image.ts'
import { createLab } from './lab.ts'

interface Result {
  check: string
  seconds: number
  saw: string
  passed: boolean
}

const since = performance.now()
const say = (words: string) => process.stderr.write(`${((performance.now() - since) / 1000).toFixed(0)} s  ${words}\n`)

try {
  process.exit((await main(process.argv.slice(2))) ? 0 : 1)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}

async function main(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { compose: { type: 'boolean' } } })
  const checks = { ...CHECKS, ...(values.compose && COMPOSE_CHECK) }
  const { engine, base } = await choose()
  say(`${describeEngine(engine)} … on ${base}`)
  const image = await buildImage(engine, base, (line) => /STEP \d|^#\d+ \[/.test(line) && say(line))
  const lab = createLab(engine)
  endWell(lab.cleanUp)
  const results: Result[] = []
  for (const [name, check] of Object.entries(checks)) {
    results.push(await judge(name, () => check({ lab, image, base, say })))
    await lab.cleanUp()
  }
  process.stdout.write(`\n${table(results)}\n\n`)
  process.stdout.write(`Kept for the next run: the images ${image}, ${base}, and what they were built from.\n`)
  return results.every(({ passed }) => passed)
}

/** The first engine, and way to call it, that runs a container of the base image. */
async function choose(): Promise<{ engine: Engine; base: string }> {
  const reasons: string[] = []
  for (const engine of await installedEngines()) {
    const base = await provideBase(engine, say)
    const reason = await tryEngine(engine, base)
    if (reason === undefined) return { engine, base }
    reasons.push(`${describeEngine(engine)}: ${reason}`)
  }
  throw new Error(`No container runs here.\n${reasons.join('\n')}`)
}

async function judge(check: string, run: () => Promise<string>): Promise<Result> {
  const start = performance.now()
  const { passed, saw } = await run().then(
    (saw) => ({ passed: true, saw }),
    (error: Error) => ({ passed: false, saw: error.message }),
  )
  say(`${passed ? 'passed' : 'FAILED'}: ${check}: ${saw}`)
  return { check, passed, saw, seconds: (performance.now() - start) / 1000 }
}

function table(results: Result[]): string {
  const rows = results.map(({ check, saw, seconds, passed }) => {
    const [short = ''] = saw.split('\n')
    return `| ${passed ? 'passed' : 'FAILED'} | ${seconds.toFixed(1).padStart(5)} | ${check} | ${short} |`
  })
  return ['| Verdict | Seconds | Check | Seen |', '|---|---|---|---|', ...rows].join('\n')
}

/** However it is ended, nothing is left running. */
function endWell(cleanUp: () => Promise<void>): void {
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(code)))
  }
}
