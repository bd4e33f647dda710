import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from '../support/sources.ts'
import type { Check } from './checks.ts'
import { ask } from './engine.ts'
import { pathsIn } from './image.ts'

const TAG = 'localhost/portal-context:test'
const WANTED = ['package.json', 'package-lock.json', 'server/main.ts', 'bin/portal.js', 'web/main.tsx']
const PLANTED = [
  '.git/config',
  '.env',
  '.npmrc',
  'data/portal.db',
  'data/portal.secret',
  'server/data/portal.secret',
  'backup.db',
  'server.pem',
  'node_modules/x/package.json',
  'web/dist/index.html',
  'web/node_modules/x.js',
  'test/x.test.ts',
  'server/x.test.ts',
  'docs/private.key',
]

/** A folder with all of these in it is sent to the builder: only what the image is made of gets there. */
export const checkContext: Check = async ({ lab }) => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-context-'))
  try {
    for (const path of [...WANTED, ...PLANTED]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), 'planted')
    }
    cpSync(join(ROOT, '.dockerignore'), join(folder, '.dockerignore'))
    writeFileSync(join(folder, 'Containerfile'), 'FROM scratch\nCOPY . /\n')
    await ask(lab.engine, ['build', '-t', TAG, '-f', join(folder, 'Containerfile'), folder])
    const paths = await pathsIn(lab.engine, TAG)
    const leaked = PLANTED.filter((path) => paths.has(path))
    const missing = WANTED.filter((path) => !paths.has(path))
    if (leaked.length > 0) throw new Error(`reaches the builder: ${leaked.join(', ')}`)
    if (missing.length > 0) throw new Error(`does not reach the builder: ${missing.join(', ')}`)
    return `${PLANTED.length} planted files stay outside`
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await ask(lab.engine, ['rmi', '--force', TAG])
  }
}
