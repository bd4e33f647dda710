import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { marksOf, startWorkers } from '../support/process/workers.ts'

it('commands work beside a portal with workers: each worker knows of a key with the next call, backups are sound, a restore is refused', async () => {
  const portal = await startWorkers(2)
  const { port } = new URL(portal.url)
  const env = { DATA_DIR: portal.dataDir, PORT: port, BASE_URL: portal.url, WORKERS: '2' }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runPortal([...args, '--json'], { env })
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  expect(await run('doctor')).toMatchObject({ ok: true })
  const { id, secret } = await run('key', 'generate', '--org', 'demo', '--label', 'by-command')
  const clients = [...(await marksOf({ ...portal, secret }, 2)).values()]
  await run('key', 'revoke', id, '--yes')
  for (const client of clients) await expect(client.call()).rejects.toThrow(/^401: .*API_KEY_INVALID/)

  const backup = join(temporaryFolder(), 'portal.backup')
  await run('backup', backup)
  await run('backup', 'verify', backup)
  const refused = await runPortal(['restore', backup, '--replace', '--yes'], { env })
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^A portal .*\.\n$/) })
  expect(await portal.stop()).toEqual({ code: 0, signal: null })
})
