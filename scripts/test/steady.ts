import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

// `npm run test:steady`: the same tests again and again, also on a busy machine. A test that fails once is not done.
const BUSY_LOOPS = 4
const { values } = parseArgs({
  options: { whole: { type: 'string', default: '3' }, parts: { type: 'string', default: '10' } },
})
const logs = mkdtempSync(join(tmpdir(), 'portal-steady-'))
const MAIN = join(import.meta.dirname, 'main.ts')
const VITEST = join(import.meta.dirname, '..', '..', 'node_modules', 'vitest', 'vitest.mjs')

const PROJECTS = ['e2e', 'e2e-rest', 'system']

interface Round {
  name: string
  args: string[]
  isBusy?: boolean
}

const whole = Array.from({ length: Number(values.whole) }, (_, i): Round => {
  const isBusy = i === 1
  return { name: `npm test ${i + 1}${isBusy ? `, beside ${BUSY_LOOPS} busy loops` : ''}`, args: [MAIN, 'test'], isBusy }
})
const parts = Array.from({ length: Number(values.parts) }, (_, i): Round => {
  return {
    name: `browser and processes ${i + 1}`,
    args: [VITEST, 'run', ...PROJECTS.flatMap((project) => ['--project', project])],
  }
})

console.log(`What each round prints is kept in ${logs}`)
const failed: string[] = []
for (const round of [...whole, ...parts]) {
  const since = performance.now()
  const passed = await run(round)
  if (!passed) failed.push(round.name)
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${Math.round((performance.now() - since) / 1000)} s  ${round.name}`)
}
console.log(failed.length === 0 ? 'All rounds passed.' : `Failed: ${failed.join('; ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

async function run({ name, args, isBusy }: Round): Promise<boolean> {
  const loops = isBusy ? Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ['-e', 'for(;;);'])) : []
  const log = createWriteStream(join(logs, `${name.replace(/\W+/g, '-')}.log`))
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  try {
    return (await ended(child)) === 0
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
    log.end()
  }
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('close', resolve))
