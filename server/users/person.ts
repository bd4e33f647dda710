import type { Ctx } from '../ctx.ts'
import { openInvitations } from '../db/open-invitations.ts'
import type { Role } from '../db/tables.ts'
import { checkText, sortKey } from '../lib/check.ts'
import { Failure } from '../lib/failure.ts'
import { decodeCursor, encodeCursor, MAX_PAGE_SIZE, type Page, type PageArgs, pageOf, pageSize } from '../lib/page.ts'

/** Somebody in the organization, or invited into it. */
export interface Person {
  id: string
  name: string
  email: string
  role: Role
  invited: boolean
  createdAt: number
}

type Cursor = [createdAt: number, id: string]

/** The people of the organization, the longest there first; for members of any role. */
export async function listUsers(
  ctx: Ctx,
  args: PageArgs & { search?: string | null | undefined },
): Promise<Page<Person>> {
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['number', 'string'])
  const begin = sortKey(checkText('search', args.search ?? '', { min: 0, max: 254 }))
  return pageOf(
    await findPeople(ctx, { begin, cursor, wanted: size + 1 }),
    size,
    (person) => encodeCursor([person.createdAt, person.id]),
    () => countPeople(ctx, begin),
  )
}

/** A member or a pending invitation of the caller's organization. */
export async function findPerson(ctx: Ctx, id: string): Promise<Person> {
  const row = await people(ctx).selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new Failure('NOT_FOUND')
  return toPerson(row)
}

/** Compares names here and not in the database, since SQLite knows the case of ASCII letters only. */
async function findPeople(
  ctx: Ctx,
  { begin, cursor, wanted }: { begin: string; cursor?: Cursor | undefined; wanted: number },
): Promise<Person[]> {
  const step = begin === '' ? wanted : MAX_PAGE_SIZE + 1
  const found: Person[] = []
  for (let from = cursor; ; ) {
    const rows = await pageOfPeople(ctx, from, step)
    found.push(...rows.map(toPerson).filter((person) => begins(person, begin)))
    const last = rows.at(-1)
    if (!last || rows.length < step || found.length >= wanted) return found
    from = [last.createdAt, last.id]
  }
}

async function countPeople(ctx: Ctx, begin: string): Promise<number> {
  if (begin !== '') return (await findPeople(ctx, { begin, wanted: Number.POSITIVE_INFINITY })).length
  const { count } = await people(ctx)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const begins = ({ name, email }: Person, begin: string) => sortKey(name).startsWith(begin) || email.startsWith(begin)

function pageOfPeople(ctx: Ctx, from: Cursor | undefined, limit: number) {
  const all = people(ctx)
  const behind = from ? all.where((eb) => eb(eb.refTuple('createdAt', 'id'), '>', eb.tuple(...from))) : all
  return behind.selectAll().orderBy('createdAt').orderBy('id').limit(limit).execute()
}

/** Members and pending invitations as one table. */
function people({ db, caller, now }: Ctx) {
  const members = db
    .selectFrom('membership')
    .innerJoin('user', 'user.id', 'membership.userId')
    .select(['user.id', 'user.name', 'user.email', 'membership.role', 'membership.createdAt'])
    .select((eb) => eb.lit<number>(0).as('invited'))
    .where('membership.organizationId', '=', caller.organizationId)
  const pending = openInvitations(db, now())
    .select(['id', 'name', 'email', 'role', 'createdAt'])
    .select((eb) => eb.lit<number>(1).as('invited'))
    .where('organizationId', '=', caller.organizationId)
  return db.selectFrom(members.unionAll(pending).as('person'))
}

/** Whoever invites sees the name that was given, or the address: never whether there is an account. */
export function toPerson({ invited, ...row }: Omit<Person, 'invited'> & { invited: number }): Person {
  return { ...row, name: row.name || row.email, invited: invited === 1 }
}
