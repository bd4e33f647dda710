import { execFile, spawn } from 'node:child_process'
import { access, constants, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import type { Machine } from './choose-browser.ts'
import { whyNotRunnable } from './program-file.ts'

const PLAYWRIGHT = join(import.meta.dirname, '..', '..', 'node_modules', 'playwright-core', 'cli.js')
const ANSWERS_WITHIN_MS = 30_000
const INSTALLED_WITHIN_MS = 15 * 60_000
const PROGRESS_EVERY_MS = 10_000

/** The machine of this process. */
export async function thisMachine(): Promise<Machine> {
  return {
    platform: process.platform,
    arch: process.arch,
    env: process.env,
    isRoot: process.getuid?.() === 0,
    check,
    unpackFromNpm: async () => (await import('@sparticuz/chromium')).default.executablePath(),
    hasAptGet: await exists('/usr/bin/apt-get'),
    installByAptGet,
    playwrightsOwn: () => chromium.executablePath(),
    downloadByPlaywright,
  }
}

async function check(path: string): ReturnType<Machine['check']> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return 'missing'
  if (!found.isFile() || !(await exists(path))) return { reason: 'is not a program' }
  if (process.platform === 'win32') return 'runs' // with --version, Chrome on Windows opens a window
  const foreign = process.platform === 'linux' && (await whyNotRunnable(path, process.arch))
  if (foreign) return { reason: foreign }
  try {
    await promisify(execFile)(path, ['--version'], {
      cwd: tmpdir(),
      timeout: ANSWERS_WITHIN_MS,
      killSignal: 'SIGKILL',
    })
    return 'runs'
  } catch {
    return { reason: 'does not start' }
  }
}

const exists = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

async function installByAptGet(): Promise<void> {
  const install = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', 'chromium']
  const announced = 'Installing Chromium for the browser tests: apt-get install -y chromium'
  await withProgress(announced, async () => {
    const hasInstalled = await succeeds('apt-get', install) // with the current package list; a new machine has none
    if (hasInstalled || ((await succeeds('apt-get', ['update'])) && (await succeeds('apt-get', install)))) return
    throw new Error('apt-get could not install chromium')
  })
}

function downloadByPlaywright(): Promise<void> {
  return withProgress('Downloading Chromium for the browser tests', async () => {
    if (await succeeds(process.execPath, [PLAYWRIGHT, 'install', 'chromium'])) return
    throw new Error('Playwright could not download its own')
  })
}

/** Only whether the command succeeds matters: its output is discarded. */
function succeeds(command: string, args: string[]): Promise<boolean> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const child = spawn(command, args, { env, stdio: 'ignore', timeout: INSTALLED_WITHIN_MS })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}

async function withProgress(announced: string, work: () => Promise<void>): Promise<void> {
  const since = performance.now()
  const seconds = () => Math.round((performance.now() - since) / 1000)
  process.stderr.write(`${announced} …\n`)
  const progress = setInterval(() => process.stderr.write(`… still at it, ${seconds()} s\n`), PROGRESS_EVERY_MS)
  try {
    await work()
    process.stderr.write(`Installed in ${seconds()} s.\n`)
  } finally {
    clearInterval(progress)
  }
}
