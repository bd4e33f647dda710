import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../test/support/process/portal-process.ts'
import { runInProcess } from '../test/support/world/command-line.ts'

it('wrong usage exits with 2 and one sentence, before the database is opened', async () => {
  const env = { DATA_DIR: join(temporaryFolder(), 'untouched') }
  const missing = 'Give --org, the organization in the database of this machine, or --remote, a portal elsewhere.\n'
  expect(await runInProcess(['key', 'list'], { env })).toEqual({ code: 2, stdout: '', stderr: missing })

  const json = await runInProcess(['key', 'lst', '--json'], { env })
  expect(json).toMatchObject({ code: 2, stdout: '' })
  const message = "Unknown command 'lst' (Did you mean list?) See npx portal --help."
  expect(JSON.parse(json.stderr)).toEqual({ error: { code: 'BAD_USER_INPUT', message } })
  expect(existsSync(env.DATA_DIR)).toBe(false)
})

it('exits with 2 and the help without a command, and with 0 for --help', async () => {
  for (const args of [[], ['key']]) {
    const { code, stderr } = await runInProcess(args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^Usage: /) })
  }
  expect(await runInProcess(['key', 'revoke', '--help'])).toEqual({
    code: 0,
    stdout: expect.stringContaining('Example:\n  npx portal key revoke '),
    stderr: '',
  })
})

it('migrate migrates an empty folder, and then has nothing to do', async () => {
  const env = { DATA_DIR: join(temporaryFolder(), 'new') }
  const { stdout } = await runInProcess(['migrate', '--json'], { env })
  expect(JSON.parse(stdout)).toEqual({ applied: expect.arrayContaining(['first tables']), copy: null })
  const other = await runInProcess(['migrate'], { env: { DATA_DIR: join(temporaryFolder(), 'other') } })
  expect(other.stdout).toMatch(/^Brought the database in .* up to date:\n {2}first tables\n( {2}.+\n)+$/)
  expect(await runInProcess(['migrate'], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The database in .* is up to date\.\n$/),
  })
})

it('with --json, invalid variables are one document on stderr', async () => {
  const { code, stderr } = await runInProcess(['org', 'list', '--json'], { env: { PORT: 'x', SIGN_UP: 'perhaps' } })
  expect(code).toBe(1)
  const message = expect.stringMatching(/PORT must .* SIGN_UP must .*\.$/)
  expect(JSON.parse(stderr)).toEqual({ error: { code: 'UNAVAILABLE', message } })
})
