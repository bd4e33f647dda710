import type { Ctx } from '../server/ctx.ts'
import { MAX_PAGE_SIZE } from '../server/lib/page.ts'
import { listInvitedUsers } from '../server/users/invited-users.ts'
import type { Person } from '../server/users/person.ts'

const NAMED = 5

/** What becomes of the people whom a key invited when it is revoked (C13), a line each; none when it invited nobody. */
export async function invitedLines(ctx: Ctx, keyId: string): Promise<string[]> {
  const { data: people, pageInfo } = await listInvitedUsers(ctx, keyId, { first: MAX_PAGE_SIZE })
  const open = people.filter(({ invited }) => invited)
  const members = people.filter(({ invited }) => !invited)
  const [ends, stays] = [open.length === 1, members.length === 1]
  return [
    ...(open.length === 0
      ? []
      : [`${open.length} open ${ends ? 'invitation ends' : 'invitations end'} with this key: ${names(open)}`]),
    ...(members.length === 0
      ? []
      : [
          `${members.length} ${stays ? 'person whom it invited stays a member' : 'people whom it invited stay members'}: ${names(members)}`,
        ]),
    ...(pageInfo.hasNextPage ? ['It has invited more people than these.'] : []),
  ]
}

function names(people: Person[]): string {
  const others = people.length - NAMED
  const named = people.slice(0, NAMED).map(({ name }) => name)
  return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
