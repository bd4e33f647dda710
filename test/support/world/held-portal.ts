import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'vitest'
import { hashSecret } from '../../../server/secrets/secret.ts'
import { runInProcess } from './command-line.ts'
import { newRestorableStorage, type RestorableStorage } from './restorable-storage.ts'
import { type Person, startWorld, type TestKey, type World } from './world.ts'

export type HeldPortal = Awaited<ReturnType<typeof newHeldPortal>>

/**
 * A portal that is stopped, with a restored database: after the backup `lost` and then `revoked` were revoked, and the
 * ledger has only the second of these revocations. `kept` and `other` were never revoked; `own` is Bob's.
 */
export const withHeldPortal = () =>
  test
    .extend('storage', () => newRestorableStorage())
    .extend('held', ({ storage }, { onCleanup }) => {
      onCleanup(storage.remove)
      return newHeldPortal(storage)
    })

async function newHeldPortal(storage: RestorableStorage) {
  const start = (env: Record<string, string> = {}) => startWorld({ beside: { storage }, env, now: Date.now })
  const first = await start()
  const [ada, bob] = [await first.signUp('Ada'), await first.signUp('Bob')]
  const acme = await first.organization('Acme', { admin: ada })
  await first.join(acme, bob, 'MEMBER')
  await bob.call('mutation { setApiKeysEnabled(enabled: true) { id } }', {}, bob.personalSlug)
  const generate = (label: string) => acme.generateKey({ label })
  const keys = {
    kept: await generate('kept'),
    other: await generate('other'),
    lost: await generate('lost'),
    revoked: await generate('revoked'),
    own: await first.generateKey(bob, { slug: bob.personalSlug }, { label: 'own' }),
  }
  await first.close()
  await storage.backUp()

  const second = await start()
  for (const { id } of [keys.lost, keys.revoked])
    await second.asKey(keys.kept.secret).call('mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }', { id })
  await second.close()
  const completeLedger = `${storage.ledger}.complete`
  copyFileSync(storage.ledger, completeLedger)
  removeFromLedger(storage.ledger, keys.lost)
  await storage.restore()

  return {
    start,
    ...{ ada, bob, acme, keys },
    /** The path of a ledger that has every revocation. */
    completeLedger,
    signIn,
    run: (args: string[], env: Record<string, string> = {}, stdin = '') =>
      runInProcess(args, { env: { ...storage.env, ...env }, stdin }),
    answersOf: async (world: World) =>
      Object.fromEntries(
        await Promise.all(Object.entries(keys).map(async ([name, key]) => [name, await answerTo(world, key)] as const)),
      ),
  }
}

function removeFromLedger(path: string, { secret }: TestKey): void {
  const ledger = new DatabaseSync(path)
  ledger.prepare('delete from "revocation" where "subject" = ?').run(Buffer.from(hashSecret(secret)).toString('hex'))
  ledger.close()
}

async function signIn(world: World, { name, email, password }: Person): Promise<Person> {
  return world.personOf(name, email, await world.post('/auth/sign-in', { email, password }))
}

/** `200`, or the status of the refusal with its code. */
export async function answerTo(world: World, { secret }: { secret: string }): Promise<string> {
  const { status, errors } = await world.asKey(secret).call('{ viewer { role } }')
  return [status, ...errors.map(({ extensions }) => extensions?.['code'])].join(' ')
}
