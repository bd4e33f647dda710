// Runs on any Node.js of the machine, before anything is installed: plain JavaScript, no dependencies.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedRuntime } from '../bin/runtime.js'
import { withLock } from './lock.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const onWindows = process.platform === 'win32'
const EVERY_10_S = 10_000

const modules = join(root, 'node_modules')
/** Is there while packages are added, and still there if npm was killed: what it has left may be partial. */
const adding = join(modules, '.adding')

/**
 * Installs what the lockfile names for running and building, and with `tests` what tests need, unless it is installed.
 * @param {{ tests: boolean }} needs
 */
async function setup(needs) {
  if (isInstalled(needs)) return
  await withLock(join(root, '.setup-lock'), async (alsoHeldBy) => {
    if (isInstalled(needs)) return // the previous holder of the lock has installed it
    await install(needs, alsoHeldBy)
  })
}

/** @param {{ tests: boolean }} needs @param {(pid: number | undefined) => void} alsoHeldBy */
async function install({ tests }, alsoHeldBy) {
  const which = tests ? '--include=dev' : '--omit=dev'
  const since = Date.now()
  const progress = setInterval(
    () => say(`… still installing, ${Math.round((Date.now() - since) / 1000)} s`),
    EVERY_10_S,
  )
  let code
  if (isInstalled({ tests: false }) && !existsSync(adding)) {
    say('Installing what tests need from npm: once, and mostly within a minute …')
    writeFileSync(adding, '')
    code = await npm(['install', '--no-save', which], alsoHeldBy) // not `ci`, which removes what a server may run from
    if (code !== null) rmSync(adding, { force: true })
  } else {
    say('Installing dependencies and the Node.js 24 runtime from npm: once, and mostly within a minute …')
    code = await npm(['ci', which], alsoHeldBy)
  }
  clearInterval(progress)
  if (code !== 0) {
    say('npm could not install the dependencies. Its output is above: most often the network or the registry cannot be')
    say('reached. Nothing else was changed; run the same command again when that is fixed.')
    process.exit(1)
  }
  linkRuntime()
  removeHeaders()
  say('Installed.')
}

/** npm 10 removes this link with the packages for other platforms, which all have a program of this name. */
function linkRuntime() {
  const link = join(modules, '.bin', 'node')
  const runtime = installedRuntime()
  if (runtime && !onWindows && !existsSync(link)) symlinkSync(relative(dirname(link), runtime), link)
}

/** The C headers of Node.js, a third of its size, are for compiling add-ons: there are none here. */
function removeHeaders() {
  for (const name of readdirSync(modules).filter((name) => /^node-(bin-)?(linux|darwin|win)-/.test(name)))
    rmSync(join(modules, name, 'include'), { recursive: true, force: true })
}

/**
 * Whether everything in the lockfile is installed, or without `tests` everything but the packages for tests. npm writes its
 * own list of installed packages as its last step, so an interrupted installation has none.
 * @param {{ tests: boolean }} needs
 */
export function isInstalled({ tests }) {
  try {
    const wanted = Object.entries(packagesIn(join(root, 'package-lock.json')))
    const present = packagesIn(join(modules, '.package-lock.json'))
    return wanted.every(([path, { version, optional, dev, devOptional }]) => {
      if (path === '' || (dev && !tests)) return true
      const found = present[path]
      return found ? found.version === version : optional || devOptional
    })
  } catch {
    return false
  }
}

/** @typedef {{ version?: string, optional?: boolean, dev?: boolean, devOptional?: boolean }} Package */

/** @returns {Record<string, Package>} */
const packagesIn = (/** @type {string} */ lockfile) => JSON.parse(readFileSync(lockfile, 'utf8')).packages

/** @param {string[]} args @param {(pid: number | undefined) => void} alsoHeldBy @returns {Promise<number | null>} */
function npm(args, alsoHeldBy) {
  const npm = spawn(
    onWindows ? 'npm.cmd' : 'npm',
    [
      ...args,
      '--prefer-offline',
      '--include=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    {
      cwd: root,
      env: { ...process.env, PATH: machinesOwnPath() },
      stdio: ['ignore', process.stderr, process.stderr], // stdout is for the command's own output
      shell: onWindows,
    },
  )
  alsoHeldBy(npm.pid) // npm continues when this process is killed
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
    process.once(signal, () => npm.kill(signal))
  return new Promise((resolve) => {
    npm.on('error', () => resolve(1))
    npm.on('exit', resolve)
  })
}

/** The PATH without node_modules: npm must not run on the runtime that it is about to replace. */
function machinesOwnPath() {
  const places = (process.env['PATH'] ?? '').split(delimiter)
  return places.filter((place) => !place.startsWith(join(root, 'node_modules'))).join(delimiter)
}

/** @param {string} words */
const say = (words) => process.stderr.write(`${words}\n`)

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await setup({ tests: process.argv.includes('--tests') })
