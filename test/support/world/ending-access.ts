import { generateApiKey } from '../../../server/api-keys/generate.ts'
import { setApiKeyPolicy } from '../../../server/api-keys/policy/change.ts'
import { revokeApiKey } from '../../../server/api-keys/revoke.ts'
import { revokeApiKeys } from '../../../server/api-keys/revoke-many.ts'
import { rotateApiKey } from '../../../server/api-keys/rotation/rotate-key.ts'
import type { Ctx } from '../../../server/caller/ctx.ts'
import { verifyKey } from '../../../server/caller/verify-key.ts'
import type { Database } from '../../../server/db/database.ts'
import { setPassword } from '../../../server/identity/password-reset.ts'
import { DAY, HOUR, SECOND } from '../../../server/lib/clock.ts'
import { insertOrganization } from '../../../server/organizations/organization.ts'
import { addMember, createUser } from '../../../server/users/create-user.ts'
import { changeUserRole, removeUser } from '../../../server/users/membership.ts'
import { LOOPBACK } from './called-from.ts'

/** Every way in which access ends, or a key is shortened. */
export const ENDINGS = ['revoke', 'bulk', 'rotate', 'overlap', 'policy', 'membership', 'role', 'password'] as const
export type Ending = (typeof ENDINGS)[number]

/** By then every shortened key has expired, and the others have not. */
export const LATER_MS = 3 * DAY

const FIRST_HASH = 'the first password'

/** Something that gives access until it is ended. */
export interface Access {
  id: string
  ending: Ending
  organizationId: string
  /** The secret of a key; empty otherwise. */
  secret: string
}

const isOfPerson = (ending: Ending) => ending === 'membership' || ending === 'role' || ending === 'password'

const asSystem = (database: Database, organizationId: string): Ctx => ({
  caller: { kind: 'SYSTEM', organizationId, role: 'ADMIN' },
  reads: database.read,
  database,
  now: database.now,
})

let people = 0

/** In an organization of its own, which has another Admin. */
export async function giveAccess(database: Database, ending: Ending): Promise<Access> {
  const { now } = database
  const { organizationId, userId } = await database.transaction(async (db) => {
    const { id } = await insertOrganization(db, now(), { kind: 'ORGANIZATION', name: 'Model', apiKeysEnabled: true })
    const person = async (role: 'ADMIN' | 'MEMBER') => {
      const email = `${++people}@example.com`
      const made = await createUser(db, now(), { email, name: 'Kim', passwordHash: FIRST_HASH, isVerified: true })
      await addMember(db, now(), { organizationId: id, userId: made.userId, role })
      return made.userId
    }
    await person('ADMIN')
    return { organizationId: id, userId: await person(ending === 'role' ? 'ADMIN' : 'MEMBER') }
  })
  if (isOfPerson(ending)) return { id: userId, ending, organizationId, secret: '' }
  const { apiKey, secret } = await generateApiKey(asSystem(database, organizationId), { label: 'model' })
  return { id: apiKey.id, ending, organizationId, secret }
}

/** Ends it in the way that it is for. */
export async function endAccess(database: Database, { id, ending, organizationId }: Access): Promise<void> {
  const ctx = asSystem(database, organizationId)
  const endings: Record<Ending, () => Promise<unknown>> = {
    revoke: () => revokeApiKey(ctx, id),
    bulk: () => revokeApiKeys(ctx, { ids: [id] }),
    rotate: () => rotateApiKey(ctx, id, { overlapSeconds: 0 }),
    overlap: () => rotateApiKey(ctx, id, { overlapSeconds: HOUR / SECOND }),
    policy: () => setApiKeyPolicy(ctx, { maxLifetimeDays: 1 }, ['MAX_LIFETIME']),
    membership: () => removeUser(ctx, id),
    role: () => changeUserRole(ctx, id, 'MEMBER', { origin: '' }),
    password: () => database.transaction((db) => setPassword(db, id, 'another password', database.now())),
  }
  await endings[ending]()
}

export type Seen = 'accepted' | 'ended' | 'held'

/** Whether it gives access; the clock of the database has advanced by then. */
export async function lookAt(database: Database, access: Access): Promise<Seen> {
  if (!isOfPerson(access.ending)) {
    const { outcome } = await verifyKey(database, access.secret, LOOPBACK)
    if (outcome === 'accepted' || outcome === 'held') return outcome
    return 'ended'
  }
  const person = await database.read
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .select(['role', 'passwordHash'])
    .where('organizationId', '=', access.organizationId)
    .where('userId', '=', access.id)
    .executeTakeFirst()
  if (access.ending === 'membership') return person ? 'accepted' : 'ended'
  if (access.ending === 'role') return person?.role === 'ADMIN' ? 'accepted' : 'ended'
  return person?.passwordHash === FIRST_HASH ? 'accepted' : 'ended'
}
