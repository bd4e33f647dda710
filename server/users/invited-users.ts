import { type Ctx, requireAdmin } from '../ctx.ts'
import { openInvitations } from '../db/open-invitations.ts'
import { decodeCursor, encodeCursor, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { type Person, toPerson } from './person.ts'

/** The people whom a key invited: those who have not accepted yet, and those who are members. The longest there first. */
export async function listInvitedUsers(ctx: Ctx, keyId: string, args: PageArgs): Promise<Page<Person>> {
  requireAdmin(ctx.caller)
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['number', 'string'])
  const all = invitedBy(ctx, keyId)
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

function invitedBy({ db, caller, now }: Ctx, keyId: string) {
  const members = db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .select(['user.id', 'user.name', 'user.email', 'membership.role', 'membership.createdAt'])
    .select((eb) => eb.lit<number>(0).as('invited'))
    .where('membership.organizationId', '=', caller.organizationId)
    .where('membership.invitedByKeyId', '=', keyId)
  const pending = openInvitations(db, now())
    .select(['id', 'name', 'email', 'role', 'createdAt'])
    .select((eb) => eb.lit<number>(1).as('invited'))
    .where('organizationId', '=', caller.organizationId)
    .where('invitedByKeyId', '=', keyId)
  return db.selectFrom(members.unionAll(pending).as('person'))
}
