import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { parse } from 'yaml'
import type { SampleId } from '../../web/pages/api-pages/api-address.ts'
import { READ_SECRET, SAMPLES } from '../../web/pages/api-pages/samples.ts'
import { plainEnv } from '../support/environment.ts'
import { inWorld } from '../support/world/fixtures.ts'
import { fleetOf } from '../support/world/fleet.ts'
import { startWorld } from '../support/world/world.ts'

const run = promisify(execFile)

const it = inWorld(() => startWorld())
  .extend('dir', { scope: 'file' }, ({ world }, { onCleanup }) => {
    const dir = mkdtempSync(join(tmpdir(), `samples-${new URL(world.url).port}-`))
    onCleanup(() => rmSync(dir, { recursive: true }))
    return dir
  })
  .extend('fleet', { scope: 'file' }, async ({ acme }) => {
    await fleetOf(acme).addMany(Array.from({ length: 101 }, (_, i) => `device-${String(i).padStart(3, '0')}`))
    return acme
  })

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

/** The programs print a line for each device, on whichever page it is. */
const listsAll = (printed: string) => {
  const lines = printed.trim().split('\n')
  expect(lines).toHaveLength(101)
  expect([lines[0], lines[100]]).toEqual(['device-000 NEVER_SEEN', 'device-100 NEVER_SEEN'])
}

const codeOf = (id: SampleId, url: string) =>
  SAMPLES.find((sample) => sample.id === id)?.code(`${url}/graphql`) ?? expect.fail(`no sample ${id}`)

const PROGRAMS = [
  { id: 'javascript', file: 'devices.mjs', command: [process.execPath], isHere: true },
  { id: 'python', file: 'devices.py', command: ['python3'], isHere: has('python3', '--version') },
  { id: 'go', file: 'devices.go', command: ['go', 'run'], isHere: has('go', 'version') },
] as const

describe('the samples of the page API work as they are', () => {
  it('curl: the first devices', async ({ world, fleet, key, dir }) => {
    expect(fleet.slug).toBe('acme')
    const env = { ...plainEnv(), API_SECRET: key.secret, HOME: dir }
    const { stdout } = await run('bash', ['-c', codeOf('curl', world.url)], { env, cwd: dir })
    const { devices } = JSON.parse(stdout).data
    expect([devices.totalCount, devices.data[0].name]).toEqual([101, 'device-000'])
  })

  for (const { id, file, command, isHere } of PROGRAMS) {
    it.skipIf(!isHere)(
      `${id}: every page of devices, and the message of a refusal`,
      async ({ world, fleet, key, dir }) => {
        expect(fleet.slug).toBe('acme')
        writeFileSync(join(dir, file), codeOf(id, world.url))
        const [program = '', ...args] = [...command, join(dir, file)]
        const withSecret = (secret: string) => ({ env: { ...plainEnv(), API_SECRET: secret, HOME: dir }, cwd: dir })
        listsAll((await run(program, args, withSecret(key.secret))).stdout)
        const refused = await run(program, args, withSecret('emp_wrong')).catch((error: { stderr: string }) => error)
        expect(refused.stderr).toMatch(/API key/)
      },
    )
  }

  it('ci: the step of the workflow prints devices, and fails where the answer has errors', async ({
    world,
    key,
    dir,
  }) => {
    const workflow = parse(codeOf('ci', world.url))
    const [step] = workflow.jobs.devices.steps
    // biome-ignore lint/suspicious/noTemplateCurlyInString: GitHub fills it in, and masks it in the log
    expect(step.env).toEqual({ API_SECRET: '${{ secrets.API_SECRET }}' })
    const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run] // what GitHub runs for `shell: bash`
    const asStep = (secret: string) =>
      run('bash', shell, { env: { ...plainEnv(), API_SECRET: secret, HOME: dir }, cwd: dir })
    expect(JSON.parse((await asStep(key.secret)).stdout)).toEqual([])
    await expect(asStep('emp_wrong')).rejects.toThrow()
  })

  it('no secret is in a sample, nor in the history of a shell that has read it', ({ key, dir }) => {
    const history = join(dir, 'history')
    const input = `${READ_SECRET}\n${key.secret}\necho "length \${#API_SECRET}"\nexit\n`
    const printed = execFileSync('bash', ['--norc', '--noprofile', '-i'], {
      input,
      env: { PATH: process.env['PATH'], HISTFILE: history, HOME: dir },
      stdio: ['pipe', 'pipe', 'ignore'],
      encoding: 'utf8',
    })
    expect(printed).toContain(`length ${key.secret.length}`)
    const remembered = readFileSync(history, 'utf8')
    expect(remembered).toContain(READ_SECRET)
    expect(remembered).not.toContain(key.secret)
    for (const { code } of SAMPLES) expect(code('https://portal.test/graphql')).not.toMatch(/emp_/)
  })
})
