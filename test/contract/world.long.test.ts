import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../server/db/open.ts'
import { isSignedIn } from '../support/world/people.ts'
import { startWorld, type World } from '../support/world/world.ts'

async function world(options?: Parameters<typeof startWorld>[0]): Promise<World> {
  const started = await startWorld(options)
  onTestFinished(started.close)
  return started
}

it('a world uses the database of its project', async ({ task }) => {
  const { database } = await world()
  const kind = { blob: 'SQLite', bytea: 'PostgreSQL' }[database.columnTypes.bytes]
  expect(kind).toBe(task.file.projectName?.startsWith('postgres') ? 'PostgreSQL' : 'SQLite')
})

it('a world has its own database, which another server may share', async () => {
  const [one, other] = await Promise.all([world(), world()])
  const { cookie } = await one.signUp('Ada')
  expect(await isSignedIn(one, cookie)).toBe(true)
  expect(await isSignedIn(await world({ beside: one }), cookie)).toBe(true)
  expect(await isSignedIn(other, cookie)).toBe(false)
})

it('a world leaves no files or processes', async () => {
  const { config, storage, signUp, close } = await startWorld()
  const { email } = await signUp('Ada')
  expect(await storage.dump()).toContain(email)
  await close()

  const users = async () => {
    const database = await openDatabase(config)
    onTestFinished(database.close)
    return database.read.selectFrom('user').select('email').execute()
  }
  await expect(users()).rejects.toThrow(/no database|no such table/)
})
