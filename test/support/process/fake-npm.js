// Stands in for `npm ci` and `npm install` in a copy of the project, without a network: links what the project itself has, and
// writes the list of what is installed last, as npm does. It waits in the middle until the file `go` is there.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const control = process.env['FAKE_NPM'] ?? ''
const real = join(import.meta.dirname, '..', '..', '..', 'node_modules')
const made = join(process.cwd(), 'node_modules')
const args = process.argv.slice(2)

appendFileSync(join(control, 'calls'), `${args.join(' ')}\n`)
writeFileSync(join(control, 'running'), String(process.pid), { flag: 'wx' }) // fails when two run at once
if (args[0] === 'ci') {
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made)
  for (const name of readdirSync(real).filter((name) => !/^\.(package-lock|cache|vite)/.test(name))) {
    symlinkSync(join(real, name), join(made, name))
  }
}
while (!existsSync(join(control, 'go'))) await pause(20)
/** @type {{ packages: Record<string, { dev?: boolean }> }} */
const { packages } = JSON.parse(readFileSync(join(real, '.package-lock.json'), 'utf8'))
const installed = Object.entries(packages).filter(([, { dev }]) => !dev || !args.includes('--omit=dev'))
writeFileSync(join(made, '.package-lock.json'), JSON.stringify({ packages: Object.fromEntries(installed) }))
rmSync(join(control, 'running'))
