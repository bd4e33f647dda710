import { cpSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findWeb } from '../server/http/web.ts'
import { bundle } from './bundle.ts'
import { licensesText } from './licenses.ts'
import { bundledPackages, icons, installedPackages } from './shipped-packages.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

/** Only the current build, in its folder beside the file that names it. */
function copyWeb(): void {
  const built = findWeb()
  if (!built) throw new Error('The web interface is not built: run npm run build.')
  const target = join(DIST, 'web')
  cpSync(built, join(target, basename(built)), { recursive: true })
  writeFileSync(join(target, 'current'), basename(built))
}

const packages = await bundle(DIST)
writeFileSync(join(DIST, 'package.json'), '{ "type": "commonjs" }\n')
writeFileSync(
  join(DIST, 'LICENSES.txt'),
  licensesText(
    installedPackages().filter(({ name }) => packages.includes(name)),
    [...bundledPackages(), icons()],
  ),
)
copyWeb()
console.error(`Built dist/: the server and the command line with ${packages.length} packages, and the web interface.`)
