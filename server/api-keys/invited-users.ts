import { type Ctx, requireAdmin } from '../caller/ctx.ts'
import { decodeCursor, type Page, type PageArgs, pageBy, pageSize } from '../lib/page.ts'
import { countOf, invitations, members, type Person, toPerson } from '../users/person.ts'
import { descendantRows } from './rotation/lineage.ts'

export interface InvitedUsersArgs extends PageArgs {
  /** Whether people are listed who were invited by keys that descend from it. */
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
  return pageBy(['createdAt', 'id'], rows.map(toPerson), size, () => countOf(all))
}

function keysMeant({ reads }: Ctx, keyId: string, { includeDescendants }: InvitedUsersArgs) {
  const itself = reads.selectFrom('apiKey').select('id').where('id', '=', keyId)
  if (!includeDescendants) return itself
  return itself.unionAll(descendantRows(reads, keyId).select('keyId as id'))
}

function invitedBy(ctx: Ctx, keys: ReturnType<typeof keysMeant>) {
  const joined = members(ctx).where('membership.invitedByKeyId', 'in', keys)
  const pending = invitations(ctx).where((eb) =>
    eb.or([eb('invitedByKeyId', 'in', keys), eb('raisedByKeyId', 'in', keys)]),
  )
  return ctx.reads.selectFrom(joined.unionAll(pending).as('person'))
}
