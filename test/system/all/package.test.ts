import { execFile } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProgram } from '../../../cli/program.ts'
import { fence } from '../../support/process/fence.ts'
import { installed, packed } from '../../support/process/installed-package.ts'
import { oldNode } from '../../support/process/machines-node.ts'
import { temporaryFolder } from '../../support/process/portal-process.ts'
import { ROOT } from '../../support/sources.ts'

const VISIT = fileURLToPath(import.meta.resolve('../../support/browser/visit-installed.js'))
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const commandsOf = (command: Command, path: string[] = []): string[] => [
  path.join(' '),
  ...command.commands.flatMap((child) => commandsOf(child, [...path, child.name()])),
]
const COMMANDS = commandsOf(createProgram())

/** A folder of somebody else's, with what they need beside the portal. */
function homeOf(user: number | undefined): string {
  const home = temporaryFolder()
  copyFileSync(VISIT, join(home, 'visit.mjs'))
  oldNode(home)
  if (user !== undefined) chownSync(home, user, user)
  chmodSync(home, 0o755)
  return home
}

let tarball: string
beforeAll(async () => {
  tarball = await packed()
})
afterAll(() => rmSync(dirname(tarball), { recursive: true }))

it('the package runs on its own: read-only, as an ordinary user, without a network, with Node.js 20 on the machine', async ({
  annotate,
}) => {
  const { before, user, offline } = fence()
  if (!offline) await annotate('Only root can take the network away, with unshare and ip: tried with it.')
  const { portal, files } = await installed(tarball)
  const home = homeOf(user)
  const untouched = files()
  const env = { PATH: [home, process.env['PATH']].join(delimiter), HOME: '/nonexistent', PORT: '0' }
  const [command = '', ...args] = [...before, join(home, 'machines-node'), join(home, 'visit.mjs'), portal, ...COMMANDS]
  const visit = await promisify(execFile)(command, args, { cwd: home, env })
  const results = JSON.parse(visit.stdout)

  expect(results).toMatchObject({ user, ...(offline ? { offline } : {}) })
  expect(results.version).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(results.help).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Usage: portal key generate /),
    stderr: '',
  })
  expect(results.migrated).toMatchObject({ code: 0, stdout: expect.stringContaining(`${home}/data up to date`) })
  expect(results.postgres).toMatchObject({ code: 1, stderr: expect.stringContaining('127.0.0.1') })
  expect(results.served).toMatchObject({
    first: { data: { devices: { totalCount: 21 } } },
    page: [200, 200],
    documents: 200,
    tools: 200,
    signedUp: 200,
    generated: { code: 0 },
    another: { data: { devices: { totalCount: 21 } } },
    ended: [0, null],
  })
  expect(results.workers).toEqual({ called: { data: { devices: { totalCount: 21 } } }, ended: [0, null] })
  expect(results.usages).toEqual(COMMANDS.map((name) => expect.stringContaining(`Usage: portal ${name}`)))
  expect(files()).toEqual(untouched)
})

it('the package has no tests, no TypeScript sources and no pictures', async () => {
  const { stdout } = await promisify(execFile)('tar', ['tzf', tarball])
  const names = stdout.trimEnd().split('\n')
  const kinds = new Set(names.map((name) => name.replace(/^package\//, '').replace(/^(dist\/web|[^/]+).*$/, '$1')))
  expect([...kinds].sort()).toEqual([
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'bin', 'dist', 'dist/web', 'docs', 'package.json'],
  ])
  expect(names.filter((name) => /\.tsx?$|test|\.png$|\.map$/.test(name))).toEqual([])
})
