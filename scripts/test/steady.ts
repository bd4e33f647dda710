import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

// `npm run test:steady`: repeats tests, also on a busy machine. A test that fails even once has to be fixed.
const BUSY_LOOPS = 4
/** Ends when the process that started it is gone, however it ended. */
const BUSY_LOOP =
  'const p = process.ppid; for (;;) { const t = Date.now(); while (Date.now() - t < 500); if (process.ppid !== p) break }'
/** Other servers on the ports of PostgreSQL and Valkey: no test may depend on what listens there. */
const OTHER_SERVERS = `const p = process.ppid
  const answer = (socket) => socket.on('error', () => {}).write('nonsense\\r\\n')
  for (const port of [5432, 6379])
    require('node:net').createServer(answer).on('error', () => {}).listen(port, '127.0.0.1') // where nothing listens already
  setInterval(() => process.ppid === p || process.exit(), 500)`
/** What `npm start` runs. On port 4000 a test may ask it by mistake, and it answers as the test's own would. */
const PORTAL = [join(import.meta.dirname, '..', '..', 'bin', 'portal.js'), 'serve', '--demo']
const ADDRESSES = new Set(Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []))
const PORTAL_HOSTS = ['127.0.0.1', '::1'].filter((host) => ADDRESSES.has(host))
const STARTS_WITHIN_MS = 60_000
const MAIN = join(import.meta.dirname, 'main.ts')
const VITEST = join(import.meta.dirname, '..', '..', 'node_modules', 'vitest', 'vitest.mjs')
const PROJECTS = ['e2e', 'e2e-rest', 'system']

interface Round {
  name: string
  args: string[]
  isBusy?: boolean
}

const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal)
    process.exit(1)
  })
}
const rounds = plannedRounds()
if (rounds) await runAll(rounds)
else {
  console.error(
    'Usage: npm run test:steady [-- --whole N --parts N], with whole numbers: how often all, how often browser and processes.',
  )
  process.exitCode = 2
}

/** Undefined if the numbers are invalid. */
function plannedRounds(): Round[] | undefined {
  const options = { whole: { type: 'string', default: '3' }, parts: { type: 'string', default: '10' } } as const
  const { values } = parseArgs({ options })
  const [whole, parts] = [Number(values.whole), Number(values.parts)]
  if (!Number.isSafeInteger(whole) || !Number.isSafeInteger(parts) || whole + parts < 1) return undefined
  const busy = `, beside ${BUSY_LOOPS} busy loops, a portal and other servers`
  return [
    ...Array.from({ length: whole }, (_, i) => ({
      name: `npm test ${i + 1}${i === 1 ? busy : ''}`,
      args: [MAIN, 'test'],
      isBusy: i === 1,
    })),
    ...Array.from({ length: parts }, (_, i) => ({
      name: `browser and processes ${i + 1}`,
      args: [VITEST, 'run', ...PROJECTS.flatMap((project) => ['--project', project])],
    })),
  ]
}

async function runAll(rounds: Round[]): Promise<void> {
  const logs = mkdtempSync(join(tmpdir(), 'portal-steady-'))
  console.log(`What each round prints is kept in ${logs}`)
  const failed: string[] = []
  for (const round of rounds) {
    const since = performance.now()
    const passed = await run(round, logs)
    if (!passed) failed.push(round.name)
    console.log(`${passed ? 'ok    ' : 'FAILED'}  ${Math.round((performance.now() - since) / 1000)} s  ${round.name}`)
  }
  console.log(failed.length === 0 ? `All ${rounds.length} rounds passed.` : `Failed: ${failed.join('; ')}`)
  process.exitCode = failed.length === 0 ? 0 : 1
}

async function run({ name, args, isBusy }: Round, logs: string): Promise<boolean> {
  const beside = isBusy ? [OTHER_SERVERS, ...Array.from({ length: BUSY_LOOPS }, () => BUSY_LOOP)] : []
  const others = beside.map((code) => start(['-e', code]))
  const log = createWriteStream(join(logs, `${name.replace(/\W+/g, '-')}.log`))
  try {
    if (isBusy) others.push(...(await Promise.all(PORTAL_HOSTS.map((host) => startPortal(host, logs)))))
    const child = start(args)
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    return (await new Promise<number | null>((resolve) => child.once('close', resolve))) === 0
  } finally {
    for (const other of others) other.kill('SIGKILL')
    log.end()
  }
}

/** A portal on port 4000 of this host, with data of its own, once it answers: or there is one already, as after `npm start`. */
async function startPortal(host: string, logs: string): Promise<ChildProcess> {
  const name = join(logs, `portal-${host.replaceAll(':', '_')}`)
  const { PATH, HOME } = process.env
  const npm = { npm_lifecycle_event: 'start' } // so that it stops when this process is gone, killed or not
  const portal = start(PORTAL, { PATH, HOME, HOST: host, DATA_DIR: name, ...npm })
  const log = createWriteStream(`${name}.log`)
  portal.stdout?.pipe(log, { end: false })
  portal.stderr?.pipe(log, { end: false })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:4000/health/live`
  for (const until = performance.now() + STARTS_WITHIN_MS; ; await pause(200)) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return portal
    if (performance.now() < until) continue
    portal.kill('SIGKILL')
    throw new Error(`No portal answers at ${url}: see ${name}.log`)
  }
}

function start(args: string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, NO_COLOR: '1' } })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}
