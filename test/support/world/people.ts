import type { Role } from '../../../server/db/tables.ts'
import type { Answer, Posted } from './http.ts'
import type { Person, TestOrganization, World } from './world.ts'

export interface ListedUser {
  id: string
  name: string
  email: string
  role: string
  invited: boolean
  createdAt: string
}

export type Call = (query: string, variables?: object) => Promise<Answer>

const USER = 'id name email role invited createdAt'

/** What a caller may do with the people of an organization, as GraphQL has it. */
export function peopleAs(call: Call) {
  return {
    invite: (input: object) =>
      call(`mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link user { ${USER} } } }`, { input }),
    changeRole: (userId: string, role: string) =>
      call(`mutation ($userId: ID!, $role: Role!) { changeUserRole(userId: $userId, role: $role) { ${USER} } }`, {
        userId,
        role,
      }),
    remove: (userId: string) => call('mutation ($userId: ID!) { removeUser(userId: $userId) }', { userId }),
    list: (args: object = {}) =>
      call(
        `query ($first: Int, $after: String, $search: String, $orderBy: UserOrder) {
          users(first: $first, after: $after, search: $search, orderBy: $orderBy) {
          data { ${USER} } pageInfo { hasNextPage endCursor } totalCount } }`,
        args,
      ),
    audit: () => call('{ auditEvents { data { action subject details actor { kind name } } } }'),
  }
}

/** The one field that was asked for; a refusal fails the test with its words. */
export function fieldOf<Field>(answer: Answer): Field {
  if (answer.errors.length > 0) throw new Error(`Refused: ${JSON.stringify(answer.errors)}`)
  return Object.values(answer.data as Record<string, Field>)[0] as Field // what the query asked for, by the schema
}

export const codesOf = ({ errors }: Answer) => errors.map(({ code }) => code)

export const usersOf = (answer: Answer) =>
  fieldOf<{ data: ListedUser[]; totalCount: number; pageInfo: { hasNextPage: boolean; endCursor: string } }>(answer)

export const namesOf = (answer: Answer) => usersOf(answer).data.map(({ name }) => name)

export interface AuditLine {
  action: string
  subject: string
  details: string | null
  actor: { kind: string; name: string }
}

export const eventsOf = (answer: Answer) => fieldOf<{ data: AuditLine[] }>(answer).data

/** Invites, and takes the token out of the link. */
export async function invited(call: Call, input: object): Promise<{ user: ListedUser; link: string; token: string }> {
  const { user, link } = fieldOf<{ user: ListedUser; link: string }>(await peopleAs(call).invite(input))
  return { user, link, token: link.split('#')[1] ?? '' }
}

interface RefusalBody {
  errors?: { message: string; extensions: { code: string; field?: string; requestId?: string } }[]
}

/** What a refused POST says, without the request's id; undefined when it was not refused. */
export function refusalOf({ status, body }: Posted) {
  const [error] = (body as RefusalBody).errors ?? [] // the shape under test
  if (!error) return undefined
  const { code, field } = error.extensions
  return { status, code, message: error.message, ...(field && { field }) }
}

/** Whether a cookie is still good for anything. */
export async function isSignedIn(world: World, cookie: string | undefined): Promise<boolean> {
  const { status } = await world.post('/portal/graphql', { query: '{ viewer { role } }' }, cookie ? { cookie } : {})
  return status === 200
}

/** Somebody new, who has joined an organization. */
export async function joined(world: World, organization: TestOrganization, name: string, role: Role): Promise<Person> {
  const person = await world.signUp(name)
  await world.join(organization, person, role)
  return person
}

/** Somebody of the vendor's support staff. */
export async function supportStaff(world: World, name: string): Promise<Person> {
  const person = await world.signUp(name)
  await world.support(person)
  return person
}

/** Time passes, and somebody signs in again: no session lasts for days. */
export async function later(world: World, person: Person, ms: number): Promise<void> {
  world.clock.advance(ms)
  const { email, password } = person
  const { cookie } = await world.post('/auth/sign-in', { email, password })
  if (!cookie) throw new Error(`${email} cannot sign in.`)
  person.cookie = cookie
}
