import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Answer } from '../world/http.ts'
import { fieldOf } from '../world/people.ts'
import { WAYS_TO_REPLACE } from '../world/replaced-files.ts'
import { cleanUpAfterFile, runPortal, startDemo, startPortal, temporaryFolder } from './portal-process.ts'

export const VIEWER = '{ viewer { apiKey { id } } }'
export const CREATE = 'mutation { createDevice(input: { name: "late" }) { id } }'
/** What it says when it ends. */
export const ENDED =
  /The database \S+portal\.db was replaced, removed or truncated while the portal was running on it: start/
/** What a command says while it runs. */
export const REFUSED =
  /^The database \S+portal\.db was replaced while a portal or a command is running on the previous one: stop that one, .+\.\n$/

/** A call to a portal that has ended: as good as a refusal. */
const GONE: Answer = {
  status: 503,
  data: null,
  errors: [{ message: 'gone', code: 'UNAVAILABLE', extensions: {} }],
  headers: new Headers(),
}

interface Made {
  folder: string
  secret: string
  id: string
}

/** A database with one key, made once for a file. */
export async function makeDatabase(): Promise<Made> {
  const cleanUp = cleanUpAfterFile()
  const folder = temporaryFolder(cleanUp)
  const portal = await startDemo(folder, {}, { cleanUp })
  const { apiKey } = fieldOf<{ apiKey: { id: string } }>(await portal.asKey(portal.secret)(VIEWER))
  await portal.stop()
  return { folder, secret: portal.secret, id: apiKey.id }
}

/** A portal that runs on a database that has outgrown its backup, with its one key. */
export async function startGrown(made: Made) {
  const parent = temporaryFolder()
  const [folder, backup] = [join(parent, 'data'), join(parent, 'backup.db')]
  cpSync(made.folder, folder, { recursive: true })
  copyFileSync(join(folder, 'portal.db'), backup)
  grow(join(folder, 'portal.db'))
  const portal = await startPortal(folder)
  const ask = portal.asKey(made.secret)
  return {
    ...portal,
    key: { id: made.id, secret: made.secret },
    ask: (query: string) => ask(query).catch(() => GONE),
    replace: (way: string) => WAYS_TO_REPLACE[way]?.(folder, backup),
    revoke: () => runPortal(['key', 'revoke', made.id, '--yes'], { env: { DATA_DIR: folder } }),
  }
}

function grow(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('create table "grown" ("content" blob); insert into "grown" values (zeroblob(100000))')
  database.close()
}
