// Builds the web interface if it is missing or older than its sources. Plain JavaScript, since it runs before anything
// else.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import { faultOf, installedRuntime } from '../bin/runtime.js'
import { withLock } from './lock.js'

const gzip = promisify(gzipCompress)
const brotli = promisify(brotliCompress)
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const web = join(root, 'web')
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')

// Every build has its own folder, named after a hash of its sources and renamed into place when complete; `current`
// names the one to serve. So a partial build is never served, and a running server keeps the build that it started
// with.
const builds = join(web, 'dist')
const pointer = join(builds, 'current')
const KEPT = 3
/** The best quality is 11, and takes 2.5 times as long for 2 % less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

export async function buildWeb() {
  if (webState() === 'current') return
  await withLock(join(root, '.setup-lock'), async () => {
    if (webState() === 'current') return // the previous holder of the lock has built it
    say('Building the web interface: some seconds, and only when it has changed …')
    const name = fingerprint()
    const folder = join(builds, name)
    if (!existsSync(folder)) await build(folder)
    pointTo(name)
    removeOld(name)
    say('Built.')
  })
}

/** @returns {'current' | 'old' | 'missing'} */
export function webState() {
  if (!existsSync(pointer)) return 'missing'
  const name = readFileSync(pointer, 'utf8')
  if (!existsSync(join(builds, name))) return 'missing'
  return name === fingerprint() ? 'current' : 'old'
}

function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  const sources = readdirSync(web).filter((name) => !name.startsWith('dist'))
  for (const path of sources.flatMap((name) => filesIn(join(web, name))).sort()) {
    hash.update(relative(web, path)).update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 16)
}

/** @param {string} path @returns {string[]} */
function filesIn(path) {
  return statSync(path).isFile() ? [path] : readdirSync(path).flatMap((name) => filesIn(join(path, name)))
}

/** @param {string} folder */
async function build(folder) {
  const aside = join(builds, `building-${process.pid}`)
  mkdirSync(builds, { recursive: true })
  if (!(await runVite(aside))) {
    say('The web interface could not be built: its output is above. Fix that, then run the command again.')
    process.exit(1)
  }
  await compress(aside)
  renameSync(aside, folder)
}

/** @param {string} name */
function pointTo(name) {
  const aside = `${pointer}.${process.pid}`
  writeFileSync(aside, name)
  renameSync(aside, pointer)
}

/** The latest ones stay, for servers that still use them. @param {string} current */
function removeOld(current) {
  const others = readdirSync(builds)
    .filter((name) => name !== current && name !== 'current')
    .map((name) => ({ path: join(builds, name), isBuild: /^[0-9a-f]{16}$/.test(name) }))
    .sort((a, b) => Number(b.isBuild) - Number(a.isBuild) || statSync(b.path).mtimeMs - statSync(a.path).mtimeMs)
  for (const [index, { path, isBuild }] of others.entries()) {
    if (!isBuild || index >= KEPT - 1) rmSync(path, { recursive: true, force: true })
  }
}

/** Once at build time, so that no request waits for it, and on all cores. @param {string} folder */
async function compress(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  await Promise.all(
    files
      .filter((file) => /\.(js|json|css|svg)$/.test(file))
      .map(async (file) => {
        const path = join(folder, file)
        const bytes = readFileSync(path)
        writeFileSync(`${path}.gz`, await gzip(bytes, { level: 9 }))
        writeFileSync(`${path}.br`, await brotli(bytes, BROTLI))
      }),
  )
}

/** @param {string} outDir @returns {Promise<boolean>} */
function runVite(outDir) {
  const runtime = faultOf(process.versions) ? installedRuntime() : undefined // Vite may need a newer version than the machine has
  const build = spawn(
    runtime ?? process.execPath,
    [vite, 'build', '--config', join(web, 'vite.config.ts'), '--logLevel', 'warn', '--outDir', outDir],
    { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, NODE_ENV: 'production' } },
  )
  return new Promise((resolve) => {
    build.on('error', () => resolve(false))
    build.on('exit', (code) => resolve(code === 0))
  })
}

/** @param {string} words */
const say = (words) => process.stderr.write(`${words}\n`)

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await buildWeb()
