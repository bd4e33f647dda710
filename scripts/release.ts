import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { licensesText } from './licenses.ts'
import { npm } from './npm.ts'
import { sbom } from './sbom.ts'
import { releaseViolations } from './schema/check.ts'
import { bundledPackages, icons, installedPackages } from './shipped-packages.ts'

const ROOT = join(import.meta.dirname, '..')

/** Creates the folder again: the tarball of `npm pack`, the SBOM, the licences, and the checksums. */
function release(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  npm(['pack', '--loglevel=error', '--pack-destination', folder], { cwd: ROOT })
  writeFileSync(join(folder, 'sbom.cdx.json'), sbom())
  writeFileSync(join(folder, 'LICENSES.txt'), licensesText(installedPackages(), [...bundledPackages(), icons()]))
  writeFileSync(join(folder, 'SHA256SUMS'), sums(folder))
}

/** In the format of `sha256sum --check`. */
function sums(folder: string): string {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
  return lines.join('')
}

const folder = resolve(process.argv[2] ?? join(ROOT, 'release'))
const violations = await releaseViolations()
if (violations.length > 0) {
  console.error(['The API has changed in ways that docs/api-policy.md does not allow:', ...violations].join('\n'))
  process.exit(1)
}
release(folder)
console.log(`Made ${folder}: ${readdirSync(folder).sort().join(', ')}.`)
