import { insertEvent } from '../server/audit/audit-event.ts'
import { COMMAND_LINE } from '../server/caller/ctx.ts'
import { checkName } from '../server/lib/check.ts'
import { insertOrganization, type Organization, organizationCreated } from '../server/organizations/organization.ts'
import { addMember, joinedAs, userByEmail } from '../server/users/create-user.ts'
import { noSuchAccount } from './organization-context.ts'
import type { Portal } from './portal.ts'

/** Creates an organization with API keys disabled (C5), and its first Admin if one is given. */
export function createOrganization(
  { database, now }: Portal,
  name: string,
  admin: string | undefined,
): Promise<Organization> {
  const checked = checkName('name', name)
  return database.transaction(async (db) => {
    const person = admin === undefined ? undefined : await userByEmail(db, admin)
    if (admin !== undefined && !person) throw noSuchAccount()
    const organization = await insertOrganization(db, now(), { kind: 'ORGANIZATION', name: checked })
    const event = { actor: COMMAND_LINE, organizationId: organization.id }
    await insertEvent(db, now(), { action: 'organization.created', ...organizationCreated(organization), ...event })
    if (person) {
      await addMember(db, now(), { organizationId: organization.id, userId: person.id, role: 'ADMIN' })
      await insertEvent(db, now(), {
        action: 'user.joined',
        subject: person.name,
        ...joinedAs(person.id, 'ADMIN'),
        ...event,
      })
    }
    return organization
  })
}

/** Every organization and personal account by name, with the number of people and active keys. */
export function listOrganizations({ database, now }: Portal) {
  return database.read
    .selectFrom('organization')
    .select(['id', 'slug', 'name', 'kind', 'apiKeysEnabled', 'createdAt'])
    .select((eb) => [
      eb
        .selectFrom('membership')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('membership.organizationId', '=', 'organization.id')
        .as('members'),
      eb
        .selectFrom('apiKey')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('apiKey.organizationId', '=', 'organization.id')
        .where((or) => or.or([or('expiresAt', 'is', null), or('expiresAt', '>', now())]))
        .as('activeKeys'),
    ])
    .orderBy('nameKey')
    .orderBy('id')
    .execute()
}
