import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { expect, it } from 'vitest'
import { buildWeb } from '../../scripts/build-web.js'
import { bundledPackages, installedPackages, productionPackages } from '../../scripts/shipped-packages.ts'
import { ROOT } from '../support/sources.ts'

interface Locked {
  integrity?: string
  resolved?: string
  dev?: boolean
  optionalDependencies?: Record<string, string>
}

const packages: Record<string, Locked> = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
const installable = Object.entries(packages).filter(
  ([path, { resolved }]) => path.includes('node_modules/') && resolved !== 'web',
)

const PERMISSIVE = new Set([
  'MIT',
  'MIT-0',
  'OFL-1.1', // typefaces
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
])

it('the lockfile has the dependencies for every platform, as `npm ci` requires', () => {
  const names = new Set(installable.map(([path]) => path.replace(/^.*node_modules\//, '')))
  const missing = installable.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).flatMap((name) => (names.has(name) ? [] : `${path} needs ${name}`)),
  )
  expect(missing, 'step back to a version that is whole in the registry').toEqual([])
})

it('the lockfile has a checksum for every package', () => {
  expect(installable.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([])
})

it('what running needs has no optional dependencies but Node.js, so that `--omit=optional` omits nothing else', () => {
  const optional = Object.entries(productionPackages()).filter(([, { optional }]) => optional)
  expect(optional).not.toEqual([])
  for (const [path] of optional) expect(path).toMatch(/^node_modules\/node-(bin-)?(linux|darwin|win)-/)
})

it('`npm start` installs no test tools: only what tests need is a development dependency', () => {
  const installed = Object.entries(packages).flatMap(([path, { dev }]) =>
    dev ? [] : path.replace(/^.*node_modules\//, ''),
  )
  const tools = /biome|browser|chromium|knip|playwright|postgres-|embedded|typescript|vitest/
  expect(installed.filter((name) => tools.test(name))).toEqual([])
})

it('`npm start` installs at most 20,000 files and 300 MB', () => {
  const folders = installable.flatMap(([path, { dev }]) => (dev ? [] : join(ROOT, path)))
  const installed = folders.filter((folder) => existsSync(folder))
  const files = installed.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (file) => file.isFile() && !relative(folder, file.parentPath).split(sep).includes('node_modules'),
    ),
  )
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(files.length).toBeLessThan(20_000)
  expect(bytes / 1e6).toBeLessThan(300)
})

const BUILD_WITHIN_MS = 300_000 // on a machine that is busy with other tests

it('shipped packages have licences that allow redistribution', { timeout: BUILD_WITHIN_MS }, async () => {
  await buildWeb()
  const unfit = [...installedPackages(), ...bundledPackages()].filter(({ license }) => !PERMISSIVE.has(license))
  expect(unfit.map(({ name, license }) => `${name}: ${license}`)).toEqual([])
})
