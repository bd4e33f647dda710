import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { plainEnv } from '../../test/support/environment.ts'
import { startSmtpServer } from '../../test/support/process/smtp-server.ts'
import { ROOT } from '../../test/support/sources.ts'
import { keyRow } from '../../test/support/world/inserted-keys.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { DAY } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'

const WORKER = fileURLToPath(import.meta.resolve('../../test/support/process/mail-worker.ts'))
/** Twelve workers are started: each would compile everything anew. */
const COMPILED = join(ROOT, 'node_modules/.cache/compiled')
const ORGANIZATIONS = 30
const KEYS_EACH = 5

it('no notification is lost, and none is sent twice except under one Message-ID, with three replicas that are killed repeatedly', async ({
  annotate,
}) => {
  let onTaken = (_count: number): 'silent' | undefined => undefined
  const smtp = await startSmtpServer({ onTaken: (count) => onTaken(count) })
  const world = await startWorld({ now: Date.now })
  onTestFinished(async () => {
    await world.close()
    await smtp.close()
  })
  const labels = await insertEndingKeys(world)
  const env = { ...world.storage.env, SMTP_URL: smtp.url, BASE_URL: 'http://portal.example.com' }
  const { read } = world.database
  const warned = async () => (await read.selectFrom('apiKeyExpiryNotification').select('keyId').execute()).length
  let killedWhileSending = 0

  /** Three replicas are at work until the moment has come, and then none is. */
  async function work(comes: (moment: () => void) => void | Promise<void>): Promise<void> {
    const workers = [0, 1, 2].map(() => startWorker(env))
    const moment = Promise.withResolvers<void>()
    await comes(moment.resolve)
    await moment.promise
    await Promise.all(workers.map(kill))
    onTaken = () => undefined
    const unsettled = await world.database.transaction((db) =>
      db.updateTable('email').set({ nextTryAt: 0 }).where('sentAt', 'is', null).where('tries', '>', 0).execute(),
    ) // as when two minutes have passed
    killedWhileSending += Number(unsettled[0]?.numUpdatedRows ?? 0)
  }

  await work(async (moment) => {
    while ((await warned()) === 0) await pause(1)
    moment()
  })
  const warnedAtFirst = await warned()
  for (const emails of [3, 10]) {
    await work((moment) => {
      onTaken = (count) => {
        if (count < emails) return undefined
        moment()
        return 'silent' // so that it is killed between sending and noting
      }
    })
  }
  await work(async (moment) => {
    const waiting = () => read.selectFrom('email').select('id').where('sentAt', 'is', null).execute()
    while ((await warned()) < labels.length || (await waiting()).length > 0) await pause(50)
    moment()
  })

  const emails = new Map(smtp.received.map(({ messageId, text }) => [messageId, text]))
  const duplicates = smtp.received.length - emails.size
  await annotate(`${warnedAtFirst} of ${labels.length} warned at the first kill, ${emails.size} emails`)
  await annotate(`${killedWhileSending} kills of a sender, ${duplicates} duplicates`)
  const named = [...emails.values()].flatMap((text) => [...text.matchAll(/^- (\S+) /gm)].map(([, label]) => label))
  expect(named.sort()).toEqual(labels.sort())
  for (const { messageId, text } of smtp.received) expect(text).toBe(emails.get(messageId))
  const events = await read
    .selectFrom('auditEvent')
    .select('subject')
    .where('action', '=', 'api_key.expiry_notified')
    .execute()
  expect(events.map(({ subject }) => subject).sort()).toEqual(labels)
  expect(duplicates).toBeGreaterThan(0)
  expect(duplicates).toBeLessThanOrEqual(killedWhileSending)
}, 90_000)

function startWorker(env: Record<string, string>): ChildProcess {
  const worker = spawn(process.execPath, [WORKER], {
    env: { ...plainEnv(), NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => kill(worker))
  return worker
}

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return
  worker.kill('SIGKILL')
  await once(worker, 'exit')
}

/** Organizations with one Admin and keys that end in 6 days; gives the labels of the keys. */
async function insertEndingKeys({ signUp, database }: World): Promise<string[]> {
  const ada = await signUp('Ada')
  const now = Date.now()
  const names = Array.from({ length: ORGANIZATIONS }, (_, i) => `organization-${i}`)
  return database.transaction(async (db) => {
    const labels: string[] = []
    for (const name of names) {
      const organizationId = newId(now)
      const organization = { id: organizationId, kind: 'ORGANIZATION', name, nameKey: name, slug: name } as const
      await db
        .insertInto('organization')
        .values({ ...organization, apiKeysEnabled: 1, apiKeyPolicy: null, createdAt: now })
        .execute()
      await db
        .insertInto('membership')
        .values({ organizationId, userId: ada.userId, role: 'ADMIN', createdAt: now })
        .execute()
      const given = { organizationId, createdAt: now - 24 * DAY, expiresAt: now + 6 * DAY }
      const keys = Array.from({ length: KEYS_EACH }, (_, i) => keyRow({ ...given, label: `${name}-key-${i}` }))
      await db.insertInto('apiKey').values(keys).execute()
      labels.push(...keys.map(({ label }) => label))
    }
    return labels
  })
}
