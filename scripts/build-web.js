// Builds the web interface when it is missing or older than its sources. Plain JavaScript: it runs before the rest.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
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
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const web = join(root, 'web')
const dist = join(web, 'dist')
const stamp = join(dist, '.built-from')
const fresh = join(web, `dist.${process.pid}`) // built aside and put in place whole: two may build at once
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')

/** A build without the tools to renew it (production dependencies only) is served as it is. */
export async function buildWeb() {
  const sources = fingerprint()
  if (isCurrent(sources) || (existsSync(stamp) && !existsSync(vite))) return
  say('Building the web interface: some seconds, and only when it has changed …')
  if (!(await runVite())) {
    say(
      'The web interface could not be built: the words of the build are above. Mend that, then run the command again.',
    )
    process.exit(1)
  }
  compress()
  writeFileSync(join(fresh, '.built-from'), sources)
  putInPlace()
  say('Built.')
}

const isCurrent = (/** @type {string} */ sources) => existsSync(stamp) && readFileSync(stamp, 'utf8') === sources

function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  const sources = readdirSync(web).filter((name) => !name.startsWith('dist'))
  for (const path of sources.flatMap((name) => filesIn(join(web, name))).sort()) {
    hash.update(relative(web, path)).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** @param {string} path @returns {string[]} */
function filesIn(path) {
  return statSync(path).isFile() ? [path] : readdirSync(path).flatMap((name) => filesIn(join(path, name)))
}

/** Once at build time, so that no request waits for it. */
function compress() {
  for (const file of readdirSync(fresh, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|svg)$/.test(file)) continue
    const path = join(fresh, file)
    const bytes = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(bytes))
  }
}

function putInPlace() {
  const old = `${fresh}.old`
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(fresh, dist)
  rmSync(old, { recursive: true, force: true })
}

/** @returns {Promise<boolean>} */
function runVite() {
  const runtime = join(root, 'node_modules', '.bin', 'node') // Vite needs a newer one than the machine may have
  const build = spawn(
    existsSync(runtime) ? runtime : process.execPath,
    [vite, 'build', '--config', join(web, 'vite.config.ts'), '--logLevel', 'warn', '--outDir', fresh],
    { cwd: root, stdio: ['ignore', process.stderr, process.stderr], env: { ...process.env, NODE_ENV: 'production' } },
  )
  return new Promise((resolve) => {
    build.on('error', () => resolve(false))
    build.on('exit', (code) => resolve(code === 0))
  })
}

/** @param {string} words */
const say = (words) => process.stderr.write(`${words}\n`)

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await buildWeb()
