import { type Ctx, requireAdmin } from '../ctx.ts'
import { descendantRows } from '../db/descendants.ts'
import { openInvitations } from '../db/open-invitations.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { type Person, toPerson } from './person.ts'

export interface InvitedUsersArgs extends PageArgs {
  /** Also those invited by keys that descend from it. */
  includeDescendants?: boolean | null | undefined
}

/** The people whom a key invited: those who have not accepted yet, and those who are members. The earliest first. */
export async function listInvitedUsers(ctx: Ctx, keyId: string, args: InvitedUsersArgs): Promise<Page<Person>> {
  requireAdmin(ctx.caller)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['number', 'string'])
  const all = invitedBy(ctx, keysMeant(ctx, keyId, args))
  const behind = cursor ? all.where((eb) => eb(eb.refTuple('createdAt', 'id'), '>', eb.tuple(...cursor))) : all
  const rows = await behind
    .selectAll()
    .orderBy('createdAt')
    .orderBy('id')
    .limit(size + 1)
    .execute()
  return pageOf(
    rows.map(toPerson),
    size,
    (person) => encodeCursor([person.createdAt, person.id]),
    async () => (await all.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count,
  )
}

function keysMeant({ db }: Ctx, keyId: string, { includeDescendants }: InvitedUsersArgs) {
  const itself = db.selectFrom('apiKey').select('id').where('id', '=', keyId)
  if (!includeDescendants) return itself
  return itself.unionAll(descendantRows(db, keyId).select('keyId as id'))
}

function invitedBy({ db, caller, now }: Ctx, keys: ReturnType<typeof keysMeant>) {
  const members = db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .select(['user.id', 'user.name', 'user.email', 'membership.role', 'membership.createdAt'])
    .select((eb) => eb.lit<number>(0).as('invited'))
    .where('membership.organizationId', '=', caller.organizationId)
    .where('membership.invitedByKeyId', 'in', keys)
  const pending = openInvitations(db, now())
    .select(['id', 'name', 'email', 'role', 'createdAt'])
    .select((eb) => eb.lit<number>(1).as('invited'))
    .where('organizationId', '=', caller.organizationId)
    .where((eb) => eb.or([eb('invitedByKeyId', 'in', keys), eb('raisedByKeyId', 'in', keys)]))
  return db.selectFrom(members.unionAll(pending).as('person'))
}
