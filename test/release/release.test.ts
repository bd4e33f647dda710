import { execFile } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundledPackages, productionPackages } from '../../scripts/shipped-packages.ts'
import { plainEnv } from '../support/environment.ts'
import { fence } from '../support/process/fence.ts'
import { packed } from '../support/process/installed-package.ts'
import { temporaryFolder } from '../support/process/portal-process.ts'
import { ROOT } from '../support/sources.ts'

const run = promisify(execFile)
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const TARBALL = `${name}-${version}.tgz`
const INSTALLED_WITHIN_MS = 300_000

describe('npm run release', () => {
  let folder: string
  beforeAll(async () => {
    folder = join(ROOT, 'release')
    await run('npm', ['run', 'release'], { cwd: ROOT, env: plainEnv() })
  }, INSTALLED_WITHIN_MS)

  const read = (file: string) => readFileSync(join(folder, file), 'utf8')

  it('creates the package, the SBOM, the licences, and valid checksums', async () => {
    expect(readdirSync(folder).sort()).toEqual(['LICENSES.txt', 'SHA256SUMS', TARBALL, 'sbom.cdx.json'])
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder })
    expect(stdout.match(/: OK$/gm)).toHaveLength(3)
  })

  it('creates the same package as npm pack', async () => {
    const other = await packed()
    onTestFinished(() => rmSync(dirname(other), { recursive: true }))
    expect(readFileSync(other).equals(readFileSync(join(folder, TARBALL)))).toBe(true)
  })

  it('lists everything that is installed or bundled, and nothing else, with its licence', () => {
    const installed = Object.entries(productionPackages()).map(
      ([path, locked]) => `${path.replace(/^.*node_modules\//, '')}@${locked.version}`,
    )
    const bundled = bundledPackages().map((each) => `${each.name}@${each.version}`)
    const shipped = [...new Set([...installed, ...bundled])]
    const { metadata, components } = JSON.parse(read('sbom.cdx.json'))
    const named: string[] = components.map((part: { name: string; version: string }) => `${part.name}@${part.version}`)

    expect(metadata.component).toMatchObject({ name, version })
    expect(named.sort()).toEqual(shipped.sort())
    expect(shipped).toContainEqual(expect.stringMatching(/^graphql@/))
    expect(shipped).toContainEqual(expect.stringMatching(/^react@/))
    expect(shipped).not.toContainEqual(expect.stringMatching(/^vitest@/))
    for (const one of shipped) expect(read('LICENSES.txt')).toContain(`  ${one} `)
    expect(read('LICENSES.txt')).not.toContain(' unknown\n')
  })
})

it(
  'npm installs the package for an ordinary user, if the registry can be reached',
  async ({ skip }) => {
    const registry = await reachableRegistry()
    if (!registry) return skip('The registry cannot be reached. test/system/package.test.ts tries it without npm.')
    const { user } = fence()
    const home = temporaryFolder()
    const tarball = join(home, TARBALL)
    const made = await packed()
    onTestFinished(() => rmSync(dirname(made), { recursive: true }))
    copyFileSync(made, tarball)
    mkdirSync(join(home, 'prefix'))
    for (const path of [home, tarball, join(home, 'prefix')]) if (user !== undefined) chownSync(path, user, user)
    chmodSync(home, 0o755)
    const asUser = {
      cwd: home,
      uid: user,
      gid: user,
      env: { ...withoutNpm(), HOME: home },
      timeout: INSTALLED_WITHIN_MS / 2,
    }
    await run(
      'npm',
      [
        'install',
        '-g',
        '--prefix',
        join(home, 'prefix'),
        '--registry',
        registry,
        '--fetch-retries=0',
        '--ignore-scripts',
        tarball,
      ],
      asUser,
    )

    const { stdout } = await run(join(home, 'prefix', 'bin', 'portal'), ['--version'], asUser)
    expect(stdout).toBe(`${version}\n`)
  },
  INSTALLED_WITHIN_MS,
)

/** All that is set here but what npm sets for its own children, such as the settings of another user. */
const withoutNpm = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** The registry of whoever runs the tests; undefined where it does not answer. */
async function reachableRegistry(): Promise<string | undefined> {
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: ROOT })
  const answer = await fetch(new URL('commander', stdout.trim()), { signal: AbortSignal.timeout(20_000) }).catch(
    () => undefined,
  )
  return answer?.ok ? stdout.trim() : undefined
}
