import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { ROOT } from '../sources.ts'
import { temporaryFolder } from './portal-process.ts'

const PARTS = ['bin', 'cli', 'scripts', 'server', 'web', 'package.json', 'package-lock.json', 'tsconfig.json']
const IN_TIME_MS = 150_000

/** A copy of the project without anything installed or built, where npm is played by fake-npm.js. */
export function freshCheckout() {
  const folder = temporaryFolder()
  const control = join(folder, 'control')
  const root = join(folder, 'portal')
  for (const part of PARTS) cpSync(join(ROOT, part), join(root, part), { recursive: true, filter: isSource })
  mkdirSync(control)
  writeNpm(control)
  const path = [control, ...(process.env['PATH'] ?? '').split(delimiter)].join(delimiter)
  const env = { PATH: path, HOME: process.env['HOME'], FAKE_NPM: control, PORT: '0' }

  return {
    root,
    /** What npm was asked to do, each time. */
    installations: () =>
      linesOf(join(control, 'calls')).map((line) => /^(\w+).*--(\w+)=dev/.exec(line)?.slice(1).join(' ')),
    letNpmWait: () => rmSync(join(control, 'go')),
    letNpmGoOn: () => writeFileSync(join(control, 'go'), ''),
    npmIsRunning: () => until(() => existsSync(join(control, 'running'))),
    killNpm: () => {
      process.kill(Number(readFileSync(join(control, 'running'), 'utf8')), 'SIGKILL')
      rmSync(join(control, 'running'))
    },
    /** A real npm script, such as `start`. */
    npm: (script: string, more: Record<string, string> = {}) =>
      watched(spawn(realNpm(), ['run', script], { cwd: root, env: { ...env, ...more } })),
    /** A script or command of the project on the Node.js of the tests. */
    node: (...args: string[]) => watched(spawn(process.execPath, args, { cwd: root, env })),
  }
}

const isSource = (path: string) => !/[\\/](dist|node_modules)$/.test(path)

function writeNpm(folder: string): void {
  const script = fileURLToPath(import.meta.resolve('./fake-npm.js'))
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`)
  chmodSync(join(folder, 'npm'), 0o755)
}

function realNpm(): string {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, 'npm'))
  const found = places.find((path) => existsSync(path))
  if (!found) throw new Error('There is no npm on the PATH.')
  return found
}

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [])

/** What a process has printed so far, and its end; it is killed at the latest when the test is over. */
function watched(child: ChildProcess) {
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
  }
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return {
    printed: () => printed,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    message: (words: RegExp) =>
      until(
        () => words.exec(printed),
        () => printed,
      ),
    /** Its exit code, once it has ended by itself. */
    ends: async () => (await ended)[0],
  }
}

/** Waits for what another process does. */
async function until<Found>(poll: () => Found | null | false, words = () => ''): Promise<Found> {
  const deadline = performance.now() + IN_TIME_MS
  for (;;) {
    const found = poll()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`It does not come to that: ${words()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
