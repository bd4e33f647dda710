import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { VARIABLES } from '../../server/config.ts'
import { ROOT } from '../support/sources.ts'

/** Memory settings of Containerfile, which the unit has too. */
const MEMORY = ['--max-semi-space-size=16', '--heap-growing-percent=50']
const STOPS_WITHIN_S = 10 // server/process/signals.ts
const DRAIN_S = 5 // as in compose.yaml

const unit = readFileSync(join(ROOT, 'docs/systemd/portal.service'), 'utf8')
const valuesOf = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '')

it('docs/systemd/portal.service starts the server with variables that it has, in its own folder', () => {
  expect(valuesOf('ExecStart')).toEqual([`/usr/bin/env node ${MEMORY.join(' ')} /usr/local/bin/portal serve`])
  const variables = valuesOf('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0] ?? ''))
  expect(['NODE_ENV', ...Object.keys(VARIABLES)]).toEqual(expect.arrayContaining(variables))
  expect(valuesOf('Environment').join(' ')).toContain(`DATA_DIR=/var/lib/${valuesOf('StateDirectory')}`)
})

it('the image starts Node.js with the same options as the unit, and it accepts them', () => {
  const [, entry = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(ROOT, 'Containerfile'), 'utf8')) ?? []
  expect(JSON.parse(entry)).toEqual(['node', ...MEMORY, '/portal/bin/portal.js'])
  expect(execFileSync(process.execPath, [...MEMORY, '--print', '1'], { encoding: 'utf8' })).toBe('1\n')
})

it('docs/systemd/portal.service runs as an unprivileged user, and gives the server enough time to stop', () => {
  expect(valuesOf('User')).toEqual(['portal'])
  expect(valuesOf('CapabilityBoundingSet')).toEqual([''])
  expect(valuesOf('ProtectSystem')).toEqual(['strict'])
  expect(valuesOf('MemoryDenyWriteExecute'), 'V8 makes code as it runs').toEqual([])
  expect(Number(valuesOf('TimeoutStopSec'))).toBeGreaterThan(STOPS_WITHIN_S + DRAIN_S)
})
