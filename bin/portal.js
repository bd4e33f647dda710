#!/usr/bin/env node
// The entry point. Starts on any Node.js from version 20 on, then continues on a suitable one: the machine's own, or
// the one that npm installed.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keepCompiledCode } from './compile-cache.js'
import { faultOf, installedRuntime } from './runtime.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const isCheckout = existsSync(join(root, 'cli', 'main.ts'))

stopWithNpm()
if (isCheckout) {
  const { requireReady } = await import('../scripts/ready.js')
  requireReady({ serves: process.argv[2] === 'serve' })
}
const fault = faultOf(process.versions)
const other = installedRuntime()
if (fault && other) await runWith(other)
else if (fault === 'node') exitWith('npm has installed none for this machine')
else await start() // an unsafe SQLite is let through: PostgreSQL does not need it, and the server refuses to open SQLite

async function start() {
  process.env['NODE_ENV'] ??= 'production' // otherwise graphql-js checks each value for a second copy of itself
  if (!isCheckout) {
    if (process.argv[2] === 'serve') keepCompiledCode()
    return module.createRequire(import.meta.url)('../dist/main.js')
  }
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'compiled')) // not a named import: Node.js 20 has no such export
  return import('../cli/main.ts')
}

/**
 * npm and npx start this through a shell that dies of SIGTERM without passing it on: when it is gone, this process
 * stops too.
 */
function stopWithNpm() {
  const shell = process.ppid
  if (!process.env['npm_lifecycle_event']) return
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 200)
  watch.unref()
}

/** @param {string} runtime */
async function runWith(runtime) {
  const { spawn } = await import('node:child_process') // only here: it takes a while to load
  const { constants } = await import('node:os')
  const child = spawn(runtime, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
    process.on(signal, () => child.kill(signal))
  child.on('error', () => exitWith('the copy that npm installed does not run on this machine'))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))
}

/** @param {string} why */
function exitWith(why) {
  process.stderr.write(
    `This needs Node.js 24.7 or newer with SQLite 3.51.3 or newer, and ${why}. Install a current one from https://nodejs.org, then try again.\n`,
  )
  process.exit(1)
}
