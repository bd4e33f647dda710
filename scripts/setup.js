// Runs on any Node.js of the machine, before anything is installed: plain JavaScript, no dependencies.
import { spawn } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const onWindows = process.platform === 'win32'
const EVERY_10_S = 10_000

/** Installs what the lockfile names, unless it is installed: a server may be running from it. */
async function setup() {
  if (isInstalled({ tools: true })) return
  await withLock(join(root, '.setup-lock'), async (alsoHeldBy) => {
    if (isInstalled({ tools: true })) return // the previous holder of the lock has installed it
    await install(alsoHeldBy)
  })
}

/** @param {(pid: number | undefined) => void} alsoHeldBy */
async function install(alsoHeldBy) {
  say('Installing dependencies and the Node.js 24 runtime from npm: once, and mostly within a minute …')
  const since = Date.now()
  const progress = setInterval(
    () => say(`… still installing, ${Math.round((Date.now() - since) / 1000)} s`),
    EVERY_10_S,
  )
  const installed = await npmCi(alsoHeldBy)
  clearInterval(progress)
  if (!installed) {
    say('npm could not install the dependencies. Its output is above: most often the network or the registry cannot be')
    say('reached. Nothing else was changed; run the same command again when that is fixed.')
    process.exit(1)
  }
  say('Installed.')
}

/**
 * Whether everything in the lockfile is installed; without `tools`, packages for tests and builds may be missing. npm
 * writes its own list of installed packages as its last step, so an interrupted installation has none.
 * @param {{ tools: boolean }} needs
 */
export function isInstalled({ tools }) {
  try {
    const wanted = Object.entries(packagesIn('package-lock.json'))
    const present = packagesIn('node_modules/.package-lock.json')
    return wanted.every(([path, { version, optional, dev, devOptional }]) => {
      if (path === '' || (dev && !tools)) return true
      const found = present[path]
      return found ? found.version === version : optional || devOptional
    })
  } catch {
    return false
  }
}

/** @typedef {{ version?: string, optional?: boolean, dev?: boolean, devOptional?: boolean }} Package */

/** @returns {Record<string, Package>} */
const packagesIn = (/** @type {string} */ lockfile) => JSON.parse(readFileSync(join(root, lockfile), 'utf8')).packages

/** @param {(pid: number | undefined) => void} alsoHeldBy @returns {Promise<boolean>} */
function npmCi(alsoHeldBy) {
  const npm = spawn(
    onWindows ? 'npm.cmd' : 'npm',
    [
      'ci',
      '--prefer-offline',
      '--include=dev',
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
    npm.on('error', () => resolve(false))
    npm.on('exit', (code) => resolve(code === 0))
  })
}

/** The PATH without node_modules: npm must not run on the runtime that it is about to replace. */
function machinesOwnPath() {
  const places = (process.env['PATH'] ?? '').split(delimiter)
  return places.filter((place) => !place.startsWith(join(root, 'node_modules'))).join(delimiter)
}

/** @param {string} words */
const say = (words) => process.stderr.write(`${words}\n`)

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await setup()
