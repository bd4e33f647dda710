import { createApp } from '../../../server/app.ts'
import type { Tuning } from '../../../server/caller/deps.ts'
import { readConfig } from '../../../server/config.ts'
import type { OpenOptions } from '../../../server/db/database.ts'
import type { Role } from '../../../server/db/tables.ts'
import { SIGN_INS_OF_ACCOUNT, SIGN_INS_OF_SOURCE } from '../../../server/identity/backoff.ts'
import { createPasswords } from '../../../server/identity/password.ts'
import { createPasswordThreads } from '../../../server/identity/password-threads.ts'
import { prepareUser } from '../../../server/identity/sign-up.ts'
import { openWithLedger } from '../../../server/ledger/open-ledger.ts'
import type { Clock } from '../../../server/lib/clock.ts'
import type { ParentCounts } from '../../../server/lib/limiter.ts'
import { createLog } from '../../../server/lib/log.ts'
import { createUser } from '../../../server/users/create-user.ts'
import { type Answer, call, type Posted, post } from './http.ts'
import { newMigratedStorage, type Storage } from './storage.ts'

export const PASSWORD = 'a long enough passphrase'
/** The least that Argon2id does: what a password costs is for the tests of passwords. */
export const CHEAPEST = { memory: 8, passes: 1, parallelism: 1 }
/** A thread takes longer to start than all the passwords of a world: those that run have been started for another. */
const passwordThreads = createPasswordThreads()
const START = Date.UTC(2026, 10, 15, 12)

/** A person with a session. */
export interface Person {
  name: string
  email: string
  password: string
  cookie: string
  userId: string
  personalSlug: string
  call(query: string, variables?: object, slug?: string): Promise<Answer>
}

export interface TestOrganization {
  id: string
  slug: string
  name: string
  admin: Person
  /** By its Admin. */
  call(query: string, variables?: object): Promise<Answer>
  generateKey(input?: object): Promise<TestKey>
}

export interface TestKey {
  id: string
  label: string
  secret: string
}

export type World = Awaited<ReturnType<typeof startWorld>>

interface WorldOptions {
  env?: Record<string, string>
  /** Another server on the database of this world, which outlives it. */
  beside?: { storage: Storage }
  /** The built web interface, to be served as well. */
  webDir?: string
  /** Instead of a clock that the test moves. */
  now?: Clock
  /** How long PostgreSQL is waited for, where that is not as in production. */
  timeouts?: OpenOptions['timeouts']
  /** How long a transaction may go on, on SQLite, where that is not as in production. */
  transactionMs?: number
  /** How often ledger and database are compared, where that is not as in production. */
  compareEveryMs?: number
  /** As one of several workers. */
  parentCounts?: ParentCounts | undefined
  /** What else is not as in production. */
  tuning?: Tuning
}

const slower = (waitsMs: readonly number[]) => waitsMs.map((ms) => ms * 60)
/** A minute for a second, so that on a busy machine none passes between two attempts that belong together. */
const SLOW_WAITS: Tuning = {
  signInWaitsMs: slower(SIGN_INS_OF_ACCOUNT.waitsMs),
  sourceWaitsMs: slower(SIGN_INS_OF_SOURCE.waitsMs),
}

/** A real server on a loopback port, with a clock and a database of its own: of the kind that the project is run on. */
export async function startWorld({
  env = {},
  beside,
  webDir,
  now,
  timeouts,
  transactionMs,
  compareEveryMs,
  parentCounts,
  tuning,
}: WorldOptions = {}) {
  const storage = beside?.storage ?? (await newMigratedStorage())
  let time = START
  const clock = {
    now: now ?? (() => time),
    advance: (ms: number) => {
      time += ms
    },
  }
  const config = readConfig({ ...storage.env, RATE_LIMIT: 'off', ...env })
  const lines: string[] = []
  const log = createLog(config.logLevel, { write: (line: string) => lines.push(line) })
  const { database, ledger } = await openWithLedger(config, {
    log,
    now: clock.now,
    timeouts,
    transactionMs,
    compareEveryMs,
    upgrade: 'with copy', // as serve
  })
  const app = await createApp({
    config,
    database,
    ledger,
    log,
    now: clock.now,
    webDir,
    parentCounts,
    passwordCost: CHEAPEST,
    passwordThreads,
    signUpWaitsMs: [0],
    ...SLOW_WAITS,
    ...tuning,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  config.port = Number(new URL(url).port) // links lead to where it listens
  let people = 0

  const asSession = (cookie: string) => (query: string, variables?: object, slug?: string) =>
    call(`${url}/portal/graphql`, { cookie, ...(slug && { 'portal-organization': slug }) }, query, variables)

  async function signUp(name: string): Promise<Person> {
    const email = `${name.toLowerCase().replace(/\W+/g, '-')}-${++people}@example.com`
    const person = { email, name, password: PASSWORD }
    if (config.smtp) await createVerified(person)
    const answer = await post(`${url}/auth/${config.smtp ? 'sign-in' : 'sign-up'}`, person)
    return personOf(name, email, answer)
  }

  /** Somebody whose address is verified, as the command line makes them: no email is on its way. */
  async function createVerified(person: { name: string; email: string; password: string }): Promise<void> {
    const prepared = await prepareUser(createPasswords({ cost: CHEAPEST }), person)
    await database.transaction((db) => createUser(db, clock.now(), { ...prepared, isVerified: true }))
  }

  async function personOf(name: string, email: string, { cookie, body }: Posted): Promise<Person> {
    if (!cookie) throw new Error(`Not signed in: ${JSON.stringify(body)}`)
    const { data } = await asSession(cookie)('{ viewer { user { id } organization { slug } } }')
    const { viewer } = data as { viewer: { user: { id: string }; organization: { slug: string } } }
    const personalSlug = viewer.organization.slug
    const person: Person = {
      ...{ name, email, password: PASSWORD, cookie, userId: viewer.user.id, personalSlug },
      call: (...asked) => asSession(person.cookie)(...asked),
    }
    return person
  }

  async function organization(
    name: string,
    { admin, apiKeys = true }: { admin: Person; apiKeys?: boolean },
  ): Promise<TestOrganization> {
    await forgetMaker(admin)
    const made = await admin.call('mutation ($name: String!) { createOrganization(name: $name) { id slug name } }', {
      name,
    })
    const { createOrganization } = made.data as { createOrganization: Pick<TestOrganization, 'id' | 'slug' | 'name'> }
    const callInIt = (query: string, variables?: object) => admin.call(query, variables, createOrganization.slug)
    if (apiKeys) await callInIt('mutation { setApiKeysEnabled(enabled: true) { id } }')
    const generate = (input?: object) => generateKey(admin, createOrganization, input)
    return { ...createOrganization, admin, call: callInIt, generateKey: generate }
  }

  /** So that one person makes as many organizations as a test needs: of them, the last one counts. */
  const forgetMaker = ({ userId }: Person) =>
    database.transaction((db) =>
      db.updateTable('organization').set({ createdById: null }).where('createdById', '=', userId).execute(),
    )

  /** By an invitation from the Admin who made the organization, accepted. */
  async function addMember(to: TestOrganization, person: Person, role: Role): Promise<void> {
    const invited = await to.admin.call(
      'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }',
      { input: { email: person.email, role } },
      to.slug,
    )
    const { inviteUser } = invited.data as { inviteUser: { link: string } }
    const token = inviteUser.link.split('#')[1]
    const accepted = await post(`${url}/auth/accept-invitation`, { token }, { cookie: person.cookie })
    if (accepted.status !== 200) throw new Error(`Not joined: ${JSON.stringify(accepted.body)}`)
  }

  async function generateKey(by: Person, of: { slug: string }, input: object = { label: 'ci' }): Promise<TestKey> {
    const answer = await by.call(
      'mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret apiKey { id label } } }',
      { input },
      of.slug,
    )
    if (answer.errors.length > 0) throw new Error(`No key: ${JSON.stringify(answer.errors)}`)
    const { generateApiKey } = answer.data as {
      generateApiKey: { secret: string; apiKey: { id: string; label: string } }
    }
    return { ...generateApiKey.apiKey, secret: generateApiKey.secret }
  }

  const asKey = (secret: string) => ({
    call: (query: string, variables?: object) => call(`${url}/graphql`, { 'api-secret': secret }, query, variables),
  })

  return {
    url,
    database,
    clock,
    config,
    storage,
    /** What the server has logged so far, a JSON line each. */
    logged: () => [...lines],
    signUp,
    personOf,
    organization,
    join: addMember,
    generateKey,
    asKey,
    accepts: async (secret: string) => (await asKey(secret).call('{ viewer { role } }')).status === 200,
    nobody: () => ({ call: (query: string, variables?: object) => call(`${url}/graphql`, {}, query, variables) }),
    post: (path: string, body: unknown, options?: { cookie?: string; headers?: Record<string, string> }) =>
      post(`${url}${path}`, body, options),
    /** Marks a person as the vendor's support staff, as `portal support grant` does. */
    support: (person: Person) =>
      database.transaction((db) =>
        db.updateTable('user').set({ support: 1 }).where('id', '=', person.userId).execute(),
      ),
    close: async () => {
      await app.close()
      await database.close()
      if (!beside) await storage.remove()
    },
  }
}
