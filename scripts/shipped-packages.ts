import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findWeb } from '../server/http/web.ts'

const ROOT = join(import.meta.dirname, '..')
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i

/** A package that is shipped with the portal: as a dependency, or bundled in the web interface. */
export interface ShippedPackage {
  name: string
  version: string
  license: string
  /** Its licence text; empty if the package has no such file, or is for another platform. */
  text: string
  /** Who says what its licence is, where there is no text. */
  statement: string
}

interface Locked {
  version: string
  license?: string
  optional?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Every production dependency of the portal itself, of all platforms, by its path in node_modules. */
export function productionPackages(): Record<string, Locked> {
  const packages: Record<string, Locked> = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
  const found = new Set([''])
  for (const path of found) {
    const { dependencies, optionalDependencies } = packages[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
      found.add(nearest(packages, path, name))
  }
  return Object.fromEntries(Object.entries(packages).filter(([path]) => path !== '' && found.has(path)))
}

/** The path of the package that another one gets by this name. */
function nearest(packages: Record<string, Locked>, from: string, name: string): string {
  const path = join(from, 'node_modules', name)
  if (packages[path] || from === '') return path
  return nearest(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

export function installedPackages(): ShippedPackage[] {
  return Object.entries(productionPackages()).map(([path, { version, license = 'unknown' }]) => ({
    name: path.replace(/^.*node_modules\//, ''),
    version,
    license,
    text: licenceTextIn(join(ROOT, path)),
    statement: statementIn(join(ROOT, path)),
  }))
}

/** The packages that Vite bundled: by its own list, and the fonts. */
export function bundledPackages(): ShippedPackage[] {
  const web = findWeb()
  if (!web) throw new Error('The web interface is not built: run npm run build.')
  const bundled: { name: string; version: string; identifier?: string; text?: string }[] = JSON.parse(
    readFileSync(join(web, 'licenses.json'), 'utf8'),
  )
  const scripts = bundled.map(({ name, version, identifier = 'unknown', text = '' }) => ({
    name,
    version,
    license: identifier,
    text,
    statement: statementIn(join(ROOT, 'node_modules', name)),
  }))
  return [...scripts, ...bundledFonts()]
}

/** The fonts: Vite lists the packages of scripts only. */
function bundledFonts(): ShippedPackage[] {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'web', 'package.json'), 'utf8'))
  const fonts = Object.keys(dependencies).filter((name) => name.startsWith('@fontsource-variable/'))
  return fonts.map((name) => {
    const folder = join(ROOT, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return { name, version, license, text: licenceTextIn(folder), statement: statementIn(folder) }
  })
}

/** The drawings of icons, which are copied from their package. */
export function icons(): ShippedPackage {
  const folder = join(ROOT, 'web', 'ui', 'icons')
  const [, version = ''] = /Tabler Icons (\S+)/.exec(readFileSync(join(folder, 'icons.ts'), 'utf8')) ?? []
  return { name: '@tabler/icons', version, license: 'MIT', text: licenceTextIn(folder), statement: '' }
}

function licenceTextIn(folder: string): string {
  if (!existsSync(folder)) return ''
  const files = readdirSync(folder).filter((name) => LICENCE_FILE.test(name))
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n')
}

function statementIn(folder: string): string {
  if (!existsSync(folder)) return 'by package-lock.json; for another platform, so not installed here'
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return ['by its package.json', ...(author ? [`the author is ${author.name ?? author}`] : [])].join('; ')
}
