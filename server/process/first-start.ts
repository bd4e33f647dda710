import { insertEvent } from '../audit/audit-event.ts'
import { COMMAND_LINE } from '../caller/ctx.ts'
import type { Deps } from '../caller/deps.ts'
import type { FirstAdmin } from '../config.ts'
import { advisoryLock } from '../db/locks.ts'
import type { Db } from '../db/tables.ts'
import { checkPassword, createPasswords } from '../identity/password.ts'
import { AppError } from '../lib/app-error.ts'
import { checkEmail, checkName, MAX_TEXT } from '../lib/check.ts'
import { insertOrganization, organizationCreated } from '../organizations/organization.ts'
import { randomPassword } from '../secrets/secret.ts'
import { addMember, createUser } from '../users/create-user.ts'
import { DEMO_AGE_MS, fillDemo } from './demo/fill-demo.ts'

export type FirstStart =
  | { outcome: 'in use'; slug: string | undefined }
  | { outcome: 'empty' }
  | { outcome: 'created admin'; slug: string; email: string }
  | { outcome: 'created demo'; slug: string; email: string; password: string; secret: string }

/** On an empty database, creates the Admin and organization of `ADMIN_*`, or else the demo if requested. */
export async function prepareFirstStart(deps: Deps, { demo }: { demo: boolean }): Promise<FirstStart> {
  const { firstAdmin } = deps.config
  const before = await currentState(deps.database.read)
  if (before.outcome === 'in use' || (!firstAdmin && !demo)) return before
  return firstAdmin ? startForAdmin(deps, firstAdmin) : startDemo(deps)
}

/** What is wrong with `ADMIN_*`: the usual rules, with the names of the variables. */
export function firstAdminProblems({ email, password, organization }: FirstAdmin): string[] {
  const checks = [
    () => checkEmail('ADMIN_EMAIL', email),
    () => checkPassword('ADMIN_PASSWORD', password),
    () => checkName('ORGANIZATION', organization),
  ]
  return checks.flatMap((check) => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof AppError) return error.message.replace(/\.$/, '')
      throw error
    }
  })
}

async function currentState(db: Db): Promise<FirstStart> {
  const user = await db.selectFrom('user').select('id').limit(1).executeTakeFirst()
  const organization = await db
    .selectFrom('organization')
    .select('slug')
    .where('kind', '=', 'ORGANIZATION')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return user || organization ? { outcome: 'in use', slug: organization?.slug } : { outcome: 'empty' }
}

async function startForAdmin(deps: Deps, { email: given, password, organization }: FirstAdmin): Promise<FirstStart> {
  const email = checkEmail('ADMIN_EMAIL', given)
  const name = email.replace(/@.*/, '').slice(0, MAX_TEXT)
  const admin = { organization: checkName('ORGANIZATION', organization), email, name, password }
  const created = await createFirstAdmin(deps, admin)
  return created ? { outcome: 'created admin', slug: created.slug, email } : currentState(deps.database.read)
}

async function startDemo(deps: Deps): Promise<FirstStart> {
  const email = 'admin@example.com'
  const password = randomPassword()
  const then = { ...deps, now: () => deps.now() - DEMO_AGE_MS }
  const created = await createFirstAdmin(then, { organization: 'Demo', email, name: 'Demo Admin', password })
  if (!created) return currentState(deps.database.read)
  const { secret } = await fillDemo(deps, created.id)
  return { outcome: 'created demo', slug: created.slug, email, password, secret }
}

/** Creates an organization with its first Admin, with API keys enabled (C5), unless another process was faster. */
async function createFirstAdmin(
  { database, now, passwordCost }: Deps,
  { organization, email, name, password }: Record<'organization' | 'email' | 'name' | 'password', string>,
) {
  const passwordHash = await createPasswords({ cost: passwordCost }).hash(password)
  return database.transaction(async (db) => {
    await advisoryLock(db)
    if ((await currentState(db)).outcome === 'in use') return undefined
    const actor = COMMAND_LINE
    const made = { kind: 'ORGANIZATION', name: organization, apiKeysEnabled: true } as const
    const created = await insertOrganization(db, now(), made)
    const event = { action: 'organization.created', ...organizationCreated(created), actor } as const
    await insertEvent(db, now(), { ...event, organizationId: created.id })
    const { userId } = await createUser(db, now(), { email, name, passwordHash, isVerified: true, actor })
    await addMember(db, now(), { organizationId: created.id, userId, role: 'ADMIN' })
    return created
  })
}
