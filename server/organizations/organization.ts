import { about, recordEvent } from '../audit/audit-event.ts'
import { changesBetween, createdWith } from '../audit/changed-fields.ts'
import {
  type Ctx,
  inTransaction,
  requireAdmin,
  requirePerson,
  requireSupport,
  withOrganizationLock,
} from '../caller/ctx.ts'
import { LIMITS, limitExceeded } from '../config/limits.ts'
import { countRows } from '../db/count.ts'
import { forNoKeyUpdate } from '../db/locks.ts'
import { countMatching } from '../db/long-list.ts'
import { beginsWith } from '../db/prefix.ts'
import type { Db, OrganizationKind, OrganizationTable } from '../db/tables.ts'
import { notFound } from '../lib/app-error.ts'
import { checkName, checkSearch, sortKey } from '../lib/check.ts'
import { newId } from '../lib/id.ts'
import { decodeCursor, type Page, type PageArgs, pageBy, pageSize } from '../lib/page.ts'
import { freeSlug } from './slug.ts'

/** A person may be invited to more organizations than they can create. */
export const MAX_ENTERABLE = 2 * LIMITS.organizations_of_person

export type Organization = OrganizationTable

interface NewOrganization {
  kind: OrganizationKind
  name: string
  apiKeysEnabled?: boolean
  createdById?: string | null
}

/** Creates an organization or a personal account; API keys are off unless given otherwise (C5). */
export async function insertOrganization(
  db: Db,
  now: number,
  { kind, name, apiKeysEnabled = false, createdById = null }: NewOrganization,
): Promise<Organization> {
  const row = {
    id: newId(now),
    kind,
    name,
    nameKey: sortKey(name),
    apiKeysEnabled: apiKeysEnabled ? 1 : 0,
    apiKeyPolicy: null,
    createdAt: now,
    createdById,
  } as const
  for (;;) {
    const made = await db
      .insertInto('organization')
      .values({ ...row, slug: await freeSlug(db, name) })
      .onConflict((conflict) => conflict.column('slug').doNothing()) // taken in the meantime: try the next one
      .returningAll()
      .executeTakeFirst()
    if (made) return made
  }
}

/** A person creates an organization and is its first Admin. */
export function createOrganization(outer: Ctx, name: string): Promise<Organization> {
  const checked = checkName('name', name)
  return inTransaction(requirePerson(outer), async (ctx) => {
    const { userId } = ctx.caller
    await forNoKeyUpdate(ctx.db, ctx.db.selectFrom('user').select('id').where('id', '=', userId)).execute()
    await requireRoom(ctx.db, userId)
    const made = { kind: 'ORGANIZATION', name: checked, createdById: userId } as const
    const organization = await insertOrganization(ctx.db, ctx.now(), made)
    await ctx.db
      .insertInto('membership')
      .values({ organizationId: organization.id, userId, role: 'ADMIN', createdAt: ctx.now() })
      .execute()
    await recordEvent(ctx, {
      action: 'organization.created',
      ...organizationCreated(organization),
      organizationId: organization.id,
    })
    return organization
  })
}

export const organizationCreated = ({ id, name, apiKeysEnabled }: Organization) =>
  ({
    ...about('ORGANIZATION', id, name),
    changes: createdWith({ name, apiKeysEnabled: apiKeysEnabled === 1 }),
  }) as const

async function requireRoom(db: Db, userId: string): Promise<void> {
  const { organizations_of_person: most, organizations_created: mostMade } = LIMITS
  if ((await countRows(db.selectFrom('membership').where('userId', '=', userId))) >= most)
    throw limitExceeded('organizations_of_person', `A person is in at most ${most} organizations: leave one first.`)
  if ((await countRows(db.selectFrom('organization').where('createdById', '=', userId))) < mostMade) return
  throw limitExceeded(
    'organizations_created',
    `A person creates at most ${mostMade} organizations: ask the operator of the portal to create another one.`,
  )
}

export const currentOrganization = (ctx: Ctx): Promise<Organization> =>
  organizationById(ctx.reads, ctx.caller.organizationId)

/** Locks any organization: another transaction that changes it, or counts what is in it, waits until this one ends. */
export const lockOrganization = (db: Db, id: string): Promise<Organization> =>
  forNoKeyUpdate(db, withId(db, id)).executeTakeFirstOrThrow(notFound)

export const organizationById = (db: Db, id: string): Promise<Organization> =>
  withId(db, id).executeTakeFirstOrThrow(notFound)

const withId = (db: Db, id: string) => db.selectFrom('organization').selectAll().where('id', '=', id)

/** An Admin changes the name of the organization; its slug stays. */
export function updateOrganization(outer: Ctx, input: { name?: string | null | undefined }): Promise<Organization> {
  requireAdmin(outer.caller)
  const name = input.name == null ? undefined : checkName('name', input.name)
  return withOrganizationLock(outer, async (ctx) => {
    const before = await currentOrganization(ctx)
    if (name === undefined || name === before.name) return before
    await renameOrganization(ctx.db, before.id, name)
    await recordEvent(ctx, {
      action: 'organization.updated',
      ...about('ORGANIZATION', before.id, name),
      details: `was ${before.name}`,
      changes: changesBetween({ name: before.name }, { name }),
    })
    return currentOrganization(ctx)
  })
}

export async function renameOrganization(db: Db, id: string, name: string): Promise<void> {
  await db
    .updateTable('organization')
    .set({ name, nameKey: sortKey(name) })
    .where('id', '=', id)
    .execute()
}

/** The organizations that the person may enter, the personal account first; for a key, its own. */
export async function enterableOrganizations(ctx: Ctx): Promise<Organization[]> {
  if (ctx.caller.kind !== 'USER') return [await currentOrganization(ctx)]
  return ctx.reads
    .selectFrom('organization')
    .innerJoin('membership', 'membership.organizationId', 'organization.id')
    .selectAll('organization')
    .where('membership.userId', '=', ctx.caller.userId)
    .orderBy('organization.kind', 'desc')
    .orderBy('organization.nameKey')
    .orderBy('organization.id')
    .limit(MAX_ENTERABLE)
    .execute()
}

/** All organizations and personal accounts, by name; for the vendor's support only. */
export async function listOrganizationsForSupport(
  ctx: Ctx,
  args: PageArgs & { search?: string | null | undefined },
): Promise<Page<Organization>> {
  requireSupport(ctx)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string', 'string'])
  const begin = checkSearch('search', args.search)
  const all = ctx.reads.selectFrom('organization')
  const beginning = (db: Db) => db.selectFrom('organization').where((eb) => beginsWith(eb, 'nameKey', begin))
  // The cursor first: of two lower bounds SQLite uses the first to enter the index, and the cursor is further on.
  const behind = cursor ? all.where((eb) => eb(eb.refTuple('nameKey', 'id'), '>', eb.tuple(...cursor))) : all
  const rows = await behind
    .where((eb) => beginsWith(eb, 'nameKey', begin))
    .selectAll()
    .orderBy('nameKey')
    .orderBy('id')
    .limit(size + 1)
    .execute()
  return pageBy(['nameKey', 'id'], rows, size, () => countMatching(ctx, beginning))
}
