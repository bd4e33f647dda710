import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it as plain } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { openDatabase } from '../../server/db/open.ts'
import { RESTORED } from '../../server/db/revocation-tables.ts'
import { runInProcess } from '../../test/support/world/command-line.ts'
import { call } from '../../test/support/world/http.ts'
import { newMigratedStorage, newStorage, type Storage } from '../../test/support/world/storage.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'

const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }'
const PASSPHRASE = 'a passphrase of the tests'
/** What a restore itself changes: sessions end, a new incarnation begins, Admins are told, and its events count as stored bytes. */
const CHANGED = [
  'auditEvent',
  'email',
  'invitation',
  'passwordReset',
  'revocation',
  'revocationState',
  'session',
  'storedBytes',
]

const it = plain
  .extend('storage', () => newMigratedStorage())
  .extend('folder', ({ storage }, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-'))
    onCleanup(async () => {
      rmSync(folder, { recursive: true, force: true })
      await storage.remove()
    })
    return folder
  })
  .extend('world', async ({ storage, folder }, { onCleanup }) => {
    expect(folder).not.toBe('') // the folder is removed after the world has closed
    const world = await startWorld({ beside: { storage }, now: Date.now })
    let closed: Promise<void> | undefined
    const close = () => {
      closed ??= world.close()
      return closed
    }
    onCleanup(close)
    return { ...world, close }
  })
  .extend('acme', async ({ world }) => {
    const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
    for (const [name, description] of Object.entries(TEXTS))
      await acme.call('mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }', {
        input: { name, description },
      })
    return acme
  })

/** What a format may stumble over. */
const TEXTS = {
  backslash: 'C:\\new\\table \\N \\. \\x41',
  quotes: `"it's" 'said'`,
  letters: 'Grüße, 東京 🚀',
  'dot line': '\\.',
  null: 'null',
}

const run = (args: string[], storage: Storage, stdin = '') => runInProcess(args, { env: storage.env, stdin })

async function done(args: string[], storage: Storage) {
  const { code, stdout, stderr } = await run([...args, '--json'], storage)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const statusOf = async (world: World, secret: string) => (await world.asKey(secret).call('{ viewer { role } }')).status

const sessionOf = async ({ url }: World, cookie: string) =>
  (await call(`${url}/portal/graphql`, { cookie }, '{ viewer { role } }')).status

it('C11: a backup of a running portal is restored, and what was revoked since stays revoked', async ({
  folder,
  storage,
  world,
  acme,
}) => {
  const [kept, revoked] = [await acme.generateKey(), await acme.generateKey()]
  const file = join(folder, 'portal.backup')
  expect(await done(['backup', file], storage)).toMatchObject({ file, encrypted: false, portalSecret: false })
  await world.asKey(kept.secret).call(REVOKE, { id: revoked.id })
  const later = await acme.generateKey()
  await world.close()

  const { endedAgain, tables } = await done(['restore', file, '--replace', '--yes'], storage)
  expect(endedAgain).toMatchObject({ keys: 1, sessions: 1 })
  expect(tables).toMatchObject({ apiKey: 2, device: 5, session: 1 })
  const again = await startWorld({ beside: { storage }, now: Date.now })
  expect(await statusOf(again, kept.secret)).toBe(200)
  expect(await statusOf(again, revoked.secret)).toBe(401)
  expect(await statusOf(again, later.secret), 'it is not in the backup').toBe(401)
  const { email, password, cookie } = acme.admin
  expect((await again.post('/auth/sign-in', { email, password })).status).toBe(200)
  expect(await sessionOf(again, cookie), 'signed out').toBe(401)
  const { data } = await again.asKey(kept.secret).call('{ devices { data { name description } } }')
  expect(data).toEqual({
    devices: {
      data: expect.arrayContaining(Object.entries(TEXTS).map(([name, description]) => ({ name, description }))),
    },
  })
  await again.close()
})

it('also if nothing was revoked since the backup, everybody is signed out and links end', async ({
  folder,
  storage,
  world,
  acme,
}) => {
  const key = await acme.generateKey()
  const file = join(folder, 'portal.backup')
  await done(['backup', file], storage)
  await world.close()
  expect((await done(['restore', file, '--replace', '--yes'], storage)).endedAgain).toMatchObject({
    keys: 0,
    sessions: 1,
  })
  const again = await startWorld({ beside: { storage }, now: Date.now })
  expect(await statusOf(again, key.secret)).toBe(200)
  expect(await sessionOf(again, acme.admin.cookie)).toBe(401)
  await again.close()
})

it('nothing is restored while a portal runs, into a database in use, or without a yes', async ({
  folder,
  storage,
  world,
  acme,
}) => {
  const key = await acme.generateKey()
  const file = join(folder, 'portal.backup')
  await done(['backup', file], storage)
  const running = await run(['restore', file, '--replace', '--yes'], storage)
  expect(running).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^A portal or a command is running/),
  })
  expect(await statusOf(world, key.secret)).toBe(200)
  await world.close()
  const inUse = await run(['restore', file], storage)
  expect(inUse).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is not empty: --replace') })
  const asked = await run(['restore', file, '--replace'], storage, 'no\n')
  expect(asked).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('has 2 organizations, 1 people, 1 API keys and 5 devices.'),
  })
})

it('databases of either kind are moved to the other, with the same content', async ({
  folder,
  storage,
  world,
  acme,
}) => {
  await acme.generateKey()
  const [first, second, third] = ['1', '2', '3'].map((name) => join(folder, name)) as [string, string, string]
  await done(['backup', first], storage)
  await world.close()

  const onSqlite: Storage = { ...storage, env: { DATA_DIR: join(folder, 'data') } }
  await done(['restore', first], onSqlite)
  await done(['backup', second], onSqlite)
  const fresh = await newStorage()
  await done(['restore', second], fresh)
  await done(['backup', third], fresh)
  const sums = await Promise.all([first, second, third].map((file) => sumsIn(file, fresh)))
  expect(Object.keys(sums[0] ?? {})).toEqual(expect.arrayContaining(['apiKey', 'device', 'membership', 'user']))
  expect(sums[1]).toEqual(sums[0])
  expect(sums[2]).toEqual(sums[0])
  await fresh.remove()
})

async function sumsIn(file: string, storage: Storage): Promise<Record<string, string>> {
  const { tables } = await done(['backup', 'verify', file], storage)
  return Object.fromEntries(Object.entries(tables).filter(([name]) => !CHANGED.includes(name)) as [string, string][])
}

it('a backup with a passphrase brings PORTAL_SECRET along', async ({ folder, storage, world, acme }) => {
  await acme.generateKey()
  const [file, passphrase] = [join(folder, 'portal.backup'), join(folder, 'passphrase')]
  writeFileSync(passphrase, `${PASSPHRASE}\n`)
  const SECRET = 'the secret of the portal that was backed up'
  const backedUp = { ...storage, env: { ...storage.env, PORTAL_SECRET: SECRET } }
  const made = await done(['backup', file, '--passphrase-file', passphrase], backedUp)
  expect(made).toMatchObject({ encrypted: true, portalSecret: true })
  await world.close()

  const wrong = await run(['restore', file, '--replace', '--yes'], storage, 'another passphrase\n')
  expect(wrong).toMatchObject({ code: 1, stderr: `The passphrase is not the one of the backup ${file}.\n` })
  const none = await run(['restore', file, '--replace', '--yes'], storage)
  expect(none).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The backup is encrypted: type its passphrase/),
  })
  const restore = ['restore', file, '--replace', '--yes', '--passphrase-file', passphrase]
  const isPostgres = 'DATABASE_URL' in storage.env
  const env = { DATA_DIR: folder, ...storage.env }
  expect(await done(restore, { ...storage, env })).toMatchObject({ portalSecret: isPostgres ? 'other' : 'written' })
  expect(existsSync(join(env.DATA_DIR, `portal.secret${isPostgres ? '.restored' : ''}`))).toBe(true)
  expect(await done(restore, backedUp)).toMatchObject({ portalSecret: 'same' })
})

it('C11: the ledger of a portal comes back with it, after another one was restored in its place', async ({
  folder,
  world,
  acme,
}) => {
  const file = join(folder, 'other.backup')
  const elsewhere: Storage = { ...world.storage, env: { DATA_DIR: join(folder, 'elsewhere') } }
  await done(['org', 'create', 'Other'], elsewhere)
  await done(['backup', file], elsewhere)
  const { id, secret } = await acme.generateKey()
  const own = join(folder, 'own.backup')
  await done(['backup', own], world.storage)
  await acme.call(REVOKE, { id })
  await world.close()
  for (const each of [file, own, file, own])
    expect(await done(['restore', each, '--replace', '--yes'], world.storage)).toHaveProperty('newLedger')
  const again = await startWorld({ beside: { storage: world.storage }, now: Date.now })
  expect(await statusOf(again, secret)).toBe(401)
  await again.close()
})

it('a ledger of another portal is put aside with the database that it belongs to, and otherwise refused', async ({
  folder,
  storage,
  world,
  acme,
}) => {
  const key = await acme.generateKey()
  const file = join(folder, 'portal.backup')
  await done(['backup', file], storage)
  await world.close()
  const other: Storage = { ...storage, env: { DATA_DIR: join(folder, 'other') } }
  await done(['org', 'create', 'Other'], other)
  expect(await done(['restore', file, '--replace', '--yes'], other)).toMatchObject({ newLedger: true })
  expect(readdirSync(join(folder, 'other')).filter((name) => /^revoked-\w+\.db$/.test(name))).toHaveLength(1)
  const again = await startWorld({ beside: { storage: other }, now: Date.now })
  expect(await statusOf(again, key.secret)).toBe(200)
  await again.close()

  const third: Storage = { ...storage, env: { DATA_DIR: join(folder, 'third') } }
  await done(['org', 'create', 'Third'], third)
  rmSync(join(folder, 'third', 'portal.db'))
  const refused = await run(['restore', file], third)
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('belongs to another portal than the backup'),
  })
  expect(existsSync(join(folder, 'third', 'portal.db'))).toBe(false)
})

it('emails that need another PORTAL_SECRET are listed', async ({ folder, storage, world, acme }) => {
  const file = join(folder, 'portal.backup')
  await acme.generateKey()
  await done(['backup', file], storage)
  await world.close()
  const SMTP_URL = 'smtp://localhost:1?from=portal@example.com'
  const [ours, others] = ['a secret of the portal, with 32 characters', 'another secret, which has 32 of them too']
  const onSqlite = (PORTAL_SECRET: string): Storage => ({
    ...storage,
    env: { DATA_DIR: join(folder, 'data'), PORTAL_SECRET, SMTP_URL, BASE_URL: 'https://portal.example.com' },
  })
  await done(['restore', file], onSqlite(ours))
  await done(['user', 'invite', 'bob@example.com', '--org', acme.slug, '--role', 'member'], onSqlite(ours))
  const withEmail = join(folder, 'with-email')
  await done(['backup', withEmail], onSqlite(ours))
  const restore = ['restore', withEmail, '--replace', '--yes']
  const { unreadableEmails } = await done(restore, onSqlite(others))
  expect(await done(restore, onSqlite(ours))).toMatchObject({ portalSecret: 'missing', unreadableEmails: {} })
  expect(unreadableEmails).toEqual({ INVITATION: 1 })
})

it('C11: a portal that starts after a restore was killed before it was united with the ledger does that first', async ({
  folder,
  storage,
  world,
  acme,
}) => {
  const key = await acme.generateKey()
  await done(['backup', join(folder, 'portal.backup')], storage)
  await world.close()
  const database = await openDatabase(readConfig(storage.env))
  await database.transaction((db) => db.updateTable('revocationState').set({ incarnation: RESTORED }).execute())
  await database.close()
  const again = await startWorld({ beside: { storage }, now: Date.now })
  expect(await sessionOf(again, acme.admin.cookie)).toBe(401)
  expect(await statusOf(again, key.secret)).toBe(200)
  await again.close()
})
