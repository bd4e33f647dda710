import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { runPortal, temporaryFolder } from '../support/portal-process.ts'

it('a mistake in usage ends with 2 and one sentence, before anything is opened', async () => {
  const env = { DATA_DIR: join(temporaryFolder(), 'untouched') }
  const [words, json] = await Promise.all([
    runPortal(['key', 'list'], { env }),
    runPortal(['key', 'lst', '--json'], { env }),
  ])
  const missing = "Required option '--org <slug>' not specified. See npx portal --help.\n"
  expect(words).toEqual({ code: 2, stdout: '', stderr: missing })
  expect(json).toMatchObject({ code: 2, stdout: '' })
  const message = "Unknown command 'lst' (Did you mean list?) See npx portal --help."
  expect(JSON.parse(json.stderr)).toEqual({ error: { code: 'BAD_USER_INPUT', message } })
  expect(existsSync(env.DATA_DIR)).toBe(false)
})

it('without a command it shows the help and ends with 2; asked for help, with 0', async () => {
  const env = { DATA_DIR: temporaryFolder() }
  const [bare, group, asked] = await Promise.all([
    runPortal([], { env }),
    runPortal(['key'], { env }),
    runPortal(['key', 'revoke', '--help'], { env }),
  ])
  expect([bare.code, group.code, asked.code]).toEqual([2, 2, 0])
  expect([bare.stderr, group.stderr]).toEqual([expect.stringMatching(/^Usage: /), expect.stringMatching(/^Usage: /)])
  expect(asked).toMatchObject({ stdout: expect.stringContaining('Example:\n  npx portal key revoke '), stderr: '' })
})

it('migrate brings an empty folder up to date, and then finds nothing to do', async () => {
  const env = { DATA_DIR: join(temporaryFolder(), 'new') }
  const [first, second] = [await runPortal(['migrate', '--json'], { env }), await runPortal(['migrate'], { env })]
  expect(JSON.parse(first.stdout)).toEqual({ applied: expect.arrayContaining(['first tables']) })
  expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The database in .* is up to date\.\n$/) })
})

it('a database newer than the program is refused by every command, in one sentence', async () => {
  const dataDir = temporaryFolder()
  const database = await openDatabase({ dataDir })
  await migrate(database)
  const newer = { version: 9999, name: 'of tomorrow', appliedAt: 0 }
  await database.transaction((db) => db.insertInto('migration').values(newer).execute())
  await database.close()
  const { code, stderr } = await runPortal(['org', 'list'], { env: { DATA_DIR: dataDir } })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^The database is newer .*\.\n$/) })
})

it('a damaged database and bad variables end each with one sentence and no stack', async () => {
  const dataDir = temporaryFolder()
  writeFileSync(join(dataDir, 'portal.db'), 'this is no database, but it is long enough to look at'.repeat(100))
  const [damaged, misset] = await Promise.all([
    runPortal(['org', 'list'], { env: { DATA_DIR: dataDir } }),
    runPortal(['org', 'list', '--json'], { env: { DATA_DIR: dataDir, PORT: 'x', SIGN_UP: 'perhaps' } }),
  ])
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The database .* is damaged [^\n]*\.\n$/) })
  expect(misset.code).toBe(1)
  const { error } = JSON.parse(misset.stderr)
  expect(error).toEqual({ code: 'UNAVAILABLE', message: expect.stringMatching(/PORT must .* SIGN_UP must .*\.$/) })
})

it('serve on a taken port ends by itself with 1 and says what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const address = other.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const { code, stderr } = await runPortal(['serve'], { env: { DATA_DIR: temporaryFolder(), PORT: port } })
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`Port ${port} is taken: `) })
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})
