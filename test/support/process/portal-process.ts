import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { afterAll, onTestFinished } from 'vitest'
import { buildWeb } from '../../../scripts/build-web.js'
import { plainEnv } from '../environment.ts'
import { ROOT } from '../sources.ts'
import { call } from '../world/http.ts'
import { PORTAL_PROGRAM } from './portal-program.ts'
import { askProbe, PROBED } from './probed.ts'

const START_WITHIN_MS = 90_000
const END_WITHIN_MS = 60_000

type Env = Record<string, string>
type Process = ChildProcessWithoutNullStreams

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Output {
  code: number | null
  stdout: string
  stderr: string
}

/** Takes what is to be undone, the latest first, when something is over: a test, unless told otherwise. */
export type CleanUp = (undo: () => void | Promise<void>) => void

/** For what all tests of a file share: undone when the last of them is over. */
export function cleanUpAfterFile(): CleanUp {
  const undos: (() => void | Promise<void>)[] = []
  afterAll(async () => {
    for (const undo of undos.reverse()) await undo()
  })
  return (undo) => void undos.push(undo)
}

/** A folder that is gone in the end. */
export function temporaryFolder(cleanUp: CleanUp = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  cleanUp(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })) // workers end a moment after their parent
  return folder
}

interface LaunchOptions {
  /** With a probe in it, which `probe` asks: see probe.ts. */
  probed?: boolean
  cleanUp?: CleanUp
}

interface PortalOptions extends LaunchOptions {
  args?: string[]
  /** In place of `portal serve`: a file that serves with other times than production's. */
  entry?: string[]
  env?: Env
}

/** `portal serve` as a process of its own on a free port; it has greeted, and is killed in the end at the latest. */
export async function startPortal(
  dataDir: string,
  { args = [], entry = [PORTAL_PROGRAM, 'serve'], env = {}, ...options }: PortalOptions = {},
) {
  await buildWeb()
  const child = launch([...entry, ...args], { DATA_DIR: dataDir, ...env }, options)
  const ended = endingOf(child)
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)]
  const url = await greetingIn(child, stdout, stderr)
  return {
    url,
    pid: child.pid,
    dataDir,
    ended,
    stdout,
    stderr,
    probe: askProbe(child),
    send: (signal: NodeJS.Signals) => child.kill(signal),
    stop: (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal)
      return within(END_WITHIN_MS, ended, () => `It does not end: ${stderr()}`)
    },
    asKey: (secret: string) => (query: string, variables?: object) =>
      call(`${url}/graphql`, { 'api-secret': secret }, query, variables),
    asSession: (cookie: string, slug: string) => (query: string, variables?: object) =>
      call(`${url}/portal/graphql`, { cookie, 'portal-organization': slug }, query, variables),
  }
}

/** A portal with demo data, and what its greeting gives away. */
export async function startDemo(dataDir: string, env: Env = {}, options: LaunchOptions = {}) {
  const portal = await startPortal(dataDir, { args: ['--demo'], env, ...options })
  return { ...portal, ...demoIn(portal.stdout()) }
}

export function demoIn(greeting: string) {
  const [, email = '', password = '', secret = ''] =
    /email +(\S+)\n +password +(\S+)\n +API key +(\S+)/.exec(greeting) ?? []
  return { email, password, secret }
}

/** Takes the write lock of the database, as a command that is slow to commit would; gives a way to let go of it. */
export function holdWriteLock(dataDir: string): () => void {
  const other = new DatabaseSync(join(dataDir, 'portal.db'), { timeout: 5000 })
  other.exec('begin immediate')
  const letGo = () => {
    if (other.isOpen) other.close() // rolls back
  }
  onTestFinished(letGo)
  return letGo
}

/** Runs a command of `portal` to its end. */
export async function runPortal(args: string[], { env = {}, stdin = '' }: { env?: Env; stdin?: string } = {}) {
  if (args[0] === 'serve') await buildWeb() // beforehand, so that what is printed is the portal's own
  const child = launch([PORTAL_PROGRAM, ...args], env)
  child.stdin.end(stdin)
  const output = [text(child.stdout), text(child.stderr), endingOf(child)] as const
  const [stdout, stderr, { code }] = await within(START_WITHIN_MS, Promise.all(output), () => 'It does not end.')
  return { code, stdout, stderr } satisfies Output
}

/** Node.js on a file of ours, killed in the end at the latest. */
export function launch(
  args: string[],
  env: Env,
  { probed = false, cleanUp = onTestFinished }: LaunchOptions = {},
): Process {
  const child = spawn(process.execPath, [...(probed ? PROBED : []), ...args], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe', ...(probed ? ['ipc' as const] : [])],
    env: {
      ...plainEnv(),
      npm_lifecycle_event: 'test', // as under npm: it stops by itself when whoever started it is gone
      PORT: '0',
      RATE_LIMIT: 'off',
      ...env,
    },
  }) as Process // three pipes, whatever comes after them
  cleanUp(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return child
}

async function endingOf(child: Process): Promise<Ending> {
  const [code, signal] = await once(child, 'close')
  return { code, signal }
}

function gather(stream: NodeJS.ReadableStream): () => string {
  let gathered = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    gathered += chunk
  })
  return () => gathered
}

async function greetingIn(child: Process, stdout: () => string, stderr: () => string): Promise<string> {
  const { promise: greeted, resolve, reject } = Promise.withResolvers<string>()
  child.stdout.on('data', () => {
    const [, url] = /^Edge Management Portal is at (\S+)$/m.exec(stdout()) ?? []
    if (url) resolve(url)
  })
  child.once('close', () => reject(new Error(`It ended without a greeting: ${stdout()}${stderr()}`)))
  return within(START_WITHIN_MS, greeted, () => `It does not greet: ${stdout()}${stderr()}`)
}

async function within<Result>(ms: number, promise: Promise<Result>, words: () => string): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(words())), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
