import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { policyViolations } from './changes.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const RELEASED = join(import.meta.dirname, 'released.graphql')
const HEAD =
  '# The schema of the last release: what docs/api-policy.md promises. Written by `npm run schema:released`.\n'

const read = (path: string) => readFileSync(path, 'utf8')

/** How the schema of this checkout violates docs/api-policy.md, against the last release. */
export const releaseViolations = () =>
  policyViolations({
    released: read(RELEASED),
    current: read(join(ROOT, 'schema.graphql')),
    changelog: read(join(ROOT, 'CHANGELOG.md')),
    version: manifest.version,
    today: new Date().toISOString().slice(0, 10),
  })

/** `npm run schema:released`: from now on, changes are compared with the current schema. */
async function markReleased(): Promise<void> {
  const violations = await releaseViolations()
  if (violations.length > 0) {
    console.error(violations.join('\n'))
    process.exitCode = 1
    return
  }
  writeFileSync(RELEASED, read(join(ROOT, 'schema.graphql')).replace(/^#.*\n/, HEAD))
  console.log('Wrote scripts/schema/released.graphql.')
}

if (import.meta.main) await markReleased()
