import { setImmediate as nextTurn } from 'node:timers/promises'
import { about, recordEvent } from '../audit/audit-event.ts'
import { changesBetween } from '../audit/changed-fields.ts'
import { type Ctx, inTransaction, requirePerson } from '../caller/ctx.ts'
import { readsFor } from '../db/long-list.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { Role } from '../db/tables.ts'
import { notFound } from '../lib/app-error.ts'
import { checkName, checkSearch, MAX_EMAIL, sortKey } from '../lib/check.ts'
import { MAX_PAGE_SIZE, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'
import { cursorIn, isAfter, positionIn, type SortOrder, type SortValues, sorted } from '../lib/sorted-rows.ts'
import { renameOrganization } from '../organizations/organization.ts'
import { orderOf, type UserOrder } from './user-order.ts'

export interface Person {
  id: string
  name: string
  email: string
  role: Role
  invited: boolean
  createdAt: number
}

const STEP = MAX_PAGE_SIZE

type Cursor = [createdAt: number, id: string]

interface UserListArgs extends PageArgs {
  /** A prefix of the name or the address, in any case. */
  search?: string | null | undefined
  orderBy?: UserOrder | null | undefined
}

/** The people of the organization, the earliest first or in another order; for members of any role. */
export async function listUsers(outer: Ctx, args: UserListArgs): Promise<Page<Person>> {
  const size = pageSize(args)
  const order = orderOf(args.orderBy ?? { field: 'CREATED_AT' })
  const position = positionIn(order, args)
  const begin = checkSearch('search', args.search, { max: MAX_EMAIL })
  const ctx = await whereLong(outer)
  const wanted = size + 1
  const found = await (order.label === undefined
    ? findPeople(ctx, { begin, cursor: position as Cursor | undefined, wanted }) // whose types this order has
    : findSorted(ctx, { begin, order, position, wanted }))
  return pageOf(
    found,
    size,
    (person) => cursorIn(order, person),
    () => countPeople(ctx, begin),
  )
}

/** Members and invitations are in two tables, so a combined search or count may read all of them. */
async function whereLong(ctx: Ctx): Promise<Ctx> {
  const { organizationId } = ctx.caller
  const members = await readsFor(ctx, (db) => db.selectFrom('membership').where('organizationId', '=', organizationId))
  if (members !== ctx.reads) return { ...ctx, reads: members }
  const reads = await readsFor(ctx, (db) => db.selectFrom('invitation').where('organizationId', '=', organizationId))
  return { ...ctx, reads }
}

/** A member or a pending invitation of the caller's organization. */
export async function findPerson(ctx: Ctx, id: string): Promise<Person> {
  return toPerson(await people(ctx).selectAll().where('id', '=', id).executeTakeFirstOrThrow(notFound))
}

/** A person changes their name, and with it that of the personal account. */
export function updateProfile(outer: Ctx, name: string): Promise<Person> {
  const person = requirePerson(outer)
  const checked = checkName('name', name)
  return inTransaction(person, async (ctx) => {
    const before = await findPerson(ctx, ctx.caller.userId)
    if (before.name === checked) return before
    const { personalOrganizationId } = await ctx.db
      .updateTable('user')
      .set({ name: checked })
      .where('id', '=', before.id)
      .returning('personalOrganizationId')
      .executeTakeFirstOrThrow()
    await renameOrganization(ctx.db, personalOrganizationId, checked)
    await recordEvent(ctx, {
      action: 'organization.updated',
      ...about('ORGANIZATION', personalOrganizationId, checked),
      details: `was ${before.name}`,
      changes: changesBetween({ name: before.name }, { name: checked }),
      organizationId: personalOrganizationId,
    })
    return { ...before, name: checked }
  })
}

async function findPeople(
  ctx: Ctx,
  { begin, cursor, wanted }: { begin: string; cursor?: Cursor | undefined; wanted: number },
): Promise<Person[]> {
  const found: Person[] = []
  for await (const people of peopleInSteps(ctx, begin, cursor, begin === '' ? wanted : STEP)) {
    found.push(...people)
    if (found.length >= wanted) return found
  }
  return found
}

/** By names of any language no index sorts: all people are read, and the first of those that follow are held. */
async function findSorted(
  ctx: Ctx,
  {
    begin,
    order,
    position,
    wanted,
  }: { begin: string; order: SortOrder<Person>; position: SortValues | undefined; wanted: number },
): Promise<Person[]> {
  let found: Person[] = []
  for await (const people of peopleInSteps(ctx, begin, undefined, STEP)) {
    const following = position ? people.filter((person) => isAfter(person, position, order)) : people
    found = sorted([...found, ...following], order).slice(0, wanted)
  }
  return found
}

async function countPeople(ctx: Ctx, begin: string): Promise<number> {
  if (begin === '') return countOf(people(ctx))
  let count = 0
  for await (const people of peopleInSteps(ctx, begin, undefined, STEP)) count += people.length
  return count
}

/** Compares names here and not in the database, since SQLite ignores case only for ASCII. */
async function* peopleInSteps(ctx: Ctx, begin: string, cursor: Cursor | undefined, step: number) {
  for (let from = cursor; ; ) {
    const rows = await pageOfPeople(ctx, from, step)
    yield rows.map(toPerson).filter((person) => begins(person, begin))
    const last = rows.at(-1)
    if (!last || rows.length < step) return
    from = [last.createdAt, last.id]
    await nextTurn()
  }
}

const begins = ({ name, email }: Person, begin: string) => sortKey(name).startsWith(begin) || email.startsWith(begin)

function pageOfPeople(ctx: Ctx, from: Cursor | undefined, limit: number) {
  const all = people(ctx)
  const behind = from ? all.where((eb) => eb(eb.refTuple('createdAt', 'id'), '>', eb.tuple(...from))) : all
  return behind.selectAll().orderBy('createdAt').orderBy('id').limit(limit).execute()
}

const people = (ctx: Ctx) => ctx.reads.selectFrom(members(ctx).unionAll(invitations(ctx)).as('person'))

export const countOf = async (some: ReturnType<typeof people>): Promise<number> =>
  (await some.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count

/** The members of the organization, with the columns of `invitations`. */
export const members = ({ reads, caller }: Ctx) =>
  reads
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .select(['membership.userId as id', 'user.name', 'user.email', 'membership.role', 'membership.createdAt'])
    .select((eb) => eb.lit<number>(0).as('invited'))
    .where('membership.organizationId', '=', caller.organizationId)

export const invitations = ({ reads, caller, now }: Ctx) =>
  openInvitations(reads, now())
    .select(['id', 'name', 'email', 'role', 'createdAt'])
    .select((eb) => eb.lit<number>(1).as('invited'))
    .where('organizationId', '=', caller.organizationId)

/** Shows the name that was given, or the address: never whether there is an account. */
export function toPerson({ invited, ...row }: Omit<Person, 'invited'> & { invited: number }): Person {
  return { ...row, name: row.name || row.email, invited: invited === 1 }
}
