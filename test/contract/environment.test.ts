import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { VARIABLES } from '../../server/config.ts'
import { plainEnv } from '../support/environment.ts'
import { ROOT } from '../support/sources.ts'

const CONFIG = join(ROOT, 'vitest.config.ts')
const PRINT = `await import(${JSON.stringify(CONFIG)}); process.stdout.write(JSON.stringify(process.env))`

it('tests run without the settings of whoever runs them: of the portal, of PostgreSQL and of a proxy', () => {
  const settings = [...Object.keys(VARIABLES), 'PORTAL_SECRET_FILE', 'PORTAL_URL', 'API_SECRET', 'PGHOST', 'http_proxy']
  const theirs = Object.fromEntries(settings.map((name) => [name, 'theirs']))
  const kept = { ...plainEnv(), TEST_DATABASE_URL: 'postgres://kept', SEED: '1' }
  const args = ['--input-type=module', '--eval', PRINT]
  const options = { cwd: ROOT, env: { ...kept, ...theirs }, encoding: 'utf8' } as const
  const env: object = JSON.parse(execFileSync(process.execPath, args, options))
  expect(env).toMatchObject(kept)
  expect(Object.values(env)).not.toContain('theirs')
})
