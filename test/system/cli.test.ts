import { expect, it } from 'vitest'
import { runPortal, startDemo, temporaryFolder } from '../support/process/portal-process.ts'

// What commands do is tested beside them, in cli/. Here: that they are processes of their own beside one that serves.

it('K1, K10: a key of the command line is accepted by the running portal, until it is revoked with a piped yes', async () => {
  const folder = temporaryFolder()
  const portal = await startDemo(folder)
  const run = (args: string[], stdin = '') => runPortal(args, { env: { DATA_DIR: folder }, stdin })
  const statusWith = async (secret: string) => (await portal.asKey(secret)('{ viewer { role } }')).status

  const generated = await run(['key', 'generate', '--org', 'demo', '--json'])
  expect(generated).toMatchObject({ code: 0, stderr: '' })
  const { id, secret } = JSON.parse(generated.stdout)
  expect(await statusWith(secret)).toBe(200)

  const refused = await run(['key', 'revoke', id], 'no\n')
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/\nNothing was revoked: /) })
  expect(await statusWith(secret)).toBe(200)

  expect(await run(['key', 'revoke', id], 'yes\n')).toMatchObject({ code: 0, stdout: expect.stringContaining(id) })
  expect(await statusWith(secret)).toBe(401)
})

it('wrong usage ends the process with 2 and one sentence', async () => {
  expect(await runPortal(['key', 'list'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Give --org, the organization in the database of this machine, or --remote, a portal elsewhere.\n',
  })
})
