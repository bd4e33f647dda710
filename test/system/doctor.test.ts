import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { runPortal, startDemo, temporaryFolder } from '../support/process/portal-process.ts'

/** Every file but the index of a write-ahead log, which each reader may write. */
const contentOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.endsWith('-shm'))
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    )

it('portal doctor examines a portal that is running, killed or stopped, and none of them notices', async () => {
  const folder = join(temporaryFolder(), 'data')
  const portal = await startDemo(folder)
  const env = { DATA_DIR: folder, PORT: new URL(portal.url).port, BASE_URL: portal.url }
  const examine = async () => {
    const { code, stdout, stderr } = await runPortal(['doctor', '--json'], { env })
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
    const { ok, checks } = JSON.parse(stdout)
    expect(ok).toBe(true)
    return (name: string) => checks.find(({ check }: { check: string }) => check === name).message
  }

  const running = await examine()
  expect(running('BASE_URL')).toBe(`${portal.url} leads to this portal.`)
  expect(running('SQLite integrity')).toMatch(/^\d+ tables are sound/)
  await pause(300) // in which it would notice that its files have changed
  expect(await portal.asKey(portal.secret)('{ viewer { role } }')).toMatchObject({ status: 200 })

  await portal.stop('SIGKILL')
  const killed = contentOf(folder)
  expect((await examine())('SQLite integrity')).toMatch(/^\d+ tables are sound/)
  expect(contentOf(folder)).toEqual(killed)

  const again = await startDemo(folder)
  expect(await again.asKey(portal.secret)('{ viewer { role } }')).toMatchObject({ status: 200 })
  await again.stop()
  const stopped = readdirSync(folder)
  await examine()
  expect(readdirSync(folder)).toEqual(stopped)
})

it('portal --version prints the version, whatever the settings are', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const printed = await runPortal(['--version'], { env: { PORT: 'wrong' } })
  expect(printed).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})
