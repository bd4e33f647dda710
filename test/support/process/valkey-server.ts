import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Redis } from 'ioredis'
import { describe } from 'vitest'

const TRIES = 20
const PROGRAM = ['valkey-server', 'redis-server'].flatMap(inPath)[0]
const ELSEWHERE = process.env['TEST_VALKEY_URL']

/** Tests on a Valkey; where there is none they are skipped, and their name says why. */
export function describeOnValkey(name: string, tests: () => void): void {
  if (ELSEWHERE || PROGRAM) describe(name, tests)
  else describe.skip(`${name} (no valkey-server or redis-server in the PATH, no TEST_VALKEY_URL)`, tests)
}

/** Tests that start, stall and kill a Valkey of their own. */
export function describeOnOwnValkey(name: string, tests: () => void): void {
  if (PROGRAM) describe(name, tests)
  else describe.skip(`${name} (no valkey-server or redis-server in the PATH)`, tests)
}

/** The Valkey that TEST_VALKEY_URL names, in a database of the test file's own and empty, or else a fresh one. */
export async function someValkey(database: number) {
  if (!ELSEWHERE) return startValkey()
  const url = new URL(`/${database}`, ELSEWHERE).href
  const ask = askAt(url)
  await ask('FLUSHDB')
  return { url, ask, close: async () => {} }
}

/** A real Valkey or Redis on a loopback port that keeps nothing on disk; gone with this process at the latest. */
export async function startValkey({ password = '' } = {}) {
  const flags = password ? ['--requirepass', password] : []
  let { port, child } = await onAnyPort(flags)
  const url = `valkey://${password && `:${password}@`}127.0.0.1:${port}`

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  return {
    url,
    ask: askAt(url),
    /** SIGSTOP stalls it, SIGCONT lets it go on. */
    send: (signal: NodeJS.Signals) => child.kill(signal),
    kill,
    /** After `kill`: on the same port, and empty. */
    start: async () => {
      const started = await onPort(port, flags)
      if (!started) throw new Error(`Port ${port} has been taken meanwhile.`)
      child = started
    },
    close: kill,
  }
}

/** Sends one command. */
function askAt(url: string) {
  return async (command: string, ...args: string[]): Promise<unknown> => {
    const client = new Redis(url.replace(/^valkey/, 'redis'), { lazyConnect: true, retryStrategy: () => null })
    await client.connect()
    try {
      return await client.call(command, ...args)
    } finally {
      client.disconnect()
    }
  }
}

async function onAnyPort(flags: string[]) {
  for (let i = 0; i < TRIES; i++) {
    const port = randomInt(20_000, 32_000) // no outgoing connection takes one of these while the server is down
    const child = await onPort(port, flags)
    if (child) return { port, child }
  }
  throw new Error(`${PROGRAM} does not start.`)
}

async function onPort(port: number, flags: string[]): Promise<ChildProcess | undefined> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no', ...flags]
  const child = spawn(PROGRAM ?? '', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  endWithThisProcess(child)
  const ready = Promise.withResolvers<ChildProcess | undefined>()
  let log = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk
    if (/ready to accept connections/i.test(log)) ready.resolve(child)
  })
  child.once('exit', () => ready.resolve(undefined))
  return ready.promise
}

/** However this process ends, kill -9 included: a shell waits for the end of its input. */
function endWithThisProcess(child: ChildProcess): void {
  const guard = spawn('sh', ['-c', 'read -r _; kill -9 "$1"', 'sh', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.once('exit', () => guard.kill())
  guard.unref()
  child.unref()
}

function inPath(name: string): string[] {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
  return places.filter((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
