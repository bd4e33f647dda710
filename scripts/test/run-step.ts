import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Report, readReport } from './report.ts'
import type { Step } from './steps.ts'

const running = new Set<ChildProcess>()

export interface Result {
  step: Step
  passed: boolean
  seconds: number
  report?: Report | undefined
}

/** On SIGINT or SIGTERM, stops the running step and waits for it. */
let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isEnding = true
    for (const child of running) child.kill(signal)
    if (running.size === 0) process.exit(1)
  })
}

/** Shows the output only if the step fails. */
export async function runQuietly(step: Step): Promise<Result> {
  const since = performance.now()
  const child = start(step, { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => printed.push(chunk))
  const passed = await hasPassed(child)
  if (!passed) process.stdout.write(`\n${step.name}: ${step.shows}\n${Buffer.concat(printed)}\n`)
  return { step, passed, seconds: secondsSince(since) }
}

/** Shows the output at once, and reads the report. */
export async function runAloud(step: Step): Promise<Result> {
  const since = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'portal-report-'))
  const file = join(folder, 'report.json')
  const reporting = step.reports ? ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`] : []
  const passed = await hasPassed(start({ ...step, args: [...step.args, ...reporting] }, { stdio: 'inherit' }))
  const report = step.reports && readReport(file)
  rmSync(folder, { recursive: true })
  return { step, passed, seconds: secondsSince(since), report }
}

function start({ args, env }: Step, options: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, args, { ...options, env: { ...process.env, ...env } })
  running.add(child)
  child.once('close', () => {
    running.delete(child)
    if (isEnding && running.size === 0) process.exit(1)
  })
  return child
}

const hasPassed = (child: ChildProcess) =>
  new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })

const secondsSince = (since: number) => (performance.now() - since) / 1000
