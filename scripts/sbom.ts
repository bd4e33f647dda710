import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm } from './npm.ts'
import { bundledPackages, productionPackages } from './shipped-packages.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * The SBOM by `npm sbom`, for a lockfile that contains only what is shipped. Its own `--omit dev` leaves out production
 * dependencies that a development dependency needs as well, such as `graphql`.
 */
export function sbom(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portal-sbom-'))
  try {
    const project = join(folder, 'edge-management-portal') // npm names the component after the folder
    mkdirSync(project)
    for (const [name, content] of Object.entries(shippedProject())) {
      writeFileSync(join(project, name), JSON.stringify(content))
    }
    return npm(['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], { cwd: project })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Locked {
  dev?: boolean
  dependencies?: object
  peerDependencies?: object
}

/** The web interface as if its bundled packages were installed; without packages that are not in the bundle. */
function shippedProject() {
  const { name, version, description, license, dependencies, optionalDependencies } = read('package.json')
  const bundled = new Set(bundledPackages().map((shipped) => shipped.name))
  const onlyBundled = (values: object = {}) =>
    Object.fromEntries(Object.entries(values).filter(([path]) => bundled.has(path.replace(/^.*node_modules\//, ''))))
  const lockfile = read('package-lock.json')
  const ofWeb = Object.fromEntries(bundledPackages().map((shipped) => [shipped.name, shipped.version]))
  const manifest = {
    name,
    version,
    description,
    license,
    dependencies: { ...ofWeb, ...dependencies },
    optionalDependencies,
  }
  const asInstalled = Object.entries<Locked>(onlyBundled(lockfile.packages)).map(
    ([path, { dev: _, peerDependencies: _asked, dependencies, ...rest }]) =>
      [path, { ...rest, dependencies: onlyBundled(dependencies) }] as const,
  )
  const packages = { '': manifest, ...Object.fromEntries(asInstalled), ...productionPackages() }
  return { 'package.json': manifest, 'package-lock.json': { ...lockfile, packages } }
}

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'))
