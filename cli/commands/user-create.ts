import type { Command } from 'commander'
import { insertEvent } from '../../server/audit/audit-event.ts'
import { COMMAND_LINE } from '../../server/caller/ctx.ts'
import type { Role } from '../../server/db/tables.ts'
import { createPasswords } from '../../server/identity/password.ts'
import { prepareUser } from '../../server/identity/sign-up.ts'
import { AppError } from '../../server/lib/app-error.ts'
import { checkEmail } from '../../server/lib/check.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import type { Organization } from '../../server/organizations/organization.ts'
import { addMember, createUser, joinedAs, userByEmail } from '../../server/users/create-user.ts'
import { readNewPassword } from '../ask.ts'
import { addCommand, answering } from '../command.ts'
import { organizationBySlug } from '../organization-context.ts'
import { type Portal, withPortal } from '../portal.ts'
import { roleOption } from '../role.ts'
import { detailLines } from '../table.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  name?: string
  org?: string
  role?: Role
}

export function addUserCreate(user: Command, terminal: Terminal): void {
  const command = addCommand(user, {
    name: 'create',
    message:
      'Create a person with a personal account. The password is prompted for, or read from the first line of stdin.',
    example: 'user create ada@example.com --org acme-edge --role ADMIN',
  })
    .argument('<email>', 'their email address')
    .option('--name <name>', 'their name (default: the address up to the @)')
    .option('--org <slug>', 'an organization that they join')
    .addOption(roleOption())
  command.action(
    answering(terminal, (email: string, options: Options) => {
      if (options.role && options.org === undefined) command.error('error: --role needs --org')
      return withPortal(terminal, (portal) => createPerson(terminal, portal, email, options))
    }),
  )
}

async function createPerson(
  terminal: Terminal,
  portal: Portal,
  given: string,
  { name: called, org, role = 'MEMBER' }: Options,
) {
  const email = checkEmail('email', given)
  const organization = org === undefined ? undefined : await joinable(portal, org)
  if (await userByEmail(portal.database.read, email)) {
    throw new AppError('CONFLICT', {
      message: `This email address has an account already: ${PORTAL} user reset EMAIL resets its password.`,
    })
  }
  const person = await prepareUser(createPasswords(), {
    email,
    name: called ?? email.replace(/@.*/, ''),
    password: await readNewPassword(terminal),
  })
  const { userId, slug } = await insertPerson(portal, person, organization && { organization, role })
  const { name } = person
  return {
    document: {
      id: userId,
      email,
      name,
      personalAccount: slug,
      organization: organization?.slug ?? null,
      role: organization ? role : null,
    },
    text: [
      'Created the account.',
      '',
      detailLines({
        email,
        name,
        'personal account': slug,
        ...(organization && { organization: organization.slug, role }),
      }),
    ].join('\n'),
  }
}

async function joinable(portal: Portal, slug: string): Promise<Organization> {
  const { organization } = await organizationBySlug(portal, slug)
  if (organization.kind === 'PERSONAL') {
    throw new AppError('FORBIDDEN', { message: 'A personal account has no other members.' })
  }
  return organization
}

function insertPerson(
  { database, now }: Portal,
  person: Awaited<ReturnType<typeof prepareUser>>,
  membership: { organization: Organization; role: Role } | undefined,
): Promise<{ userId: string; slug: string }> {
  return database.transaction(async (db) => {
    const { userId, personalOrganization } = await createUser(db, now(), {
      ...person,
      isVerified: true,
      actor: COMMAND_LINE,
    })
    if (membership) {
      const organizationId = membership.organization.id
      await addMember(db, now(), { organizationId, userId, role: membership.role })
      const event = { subject: person.name, ...joinedAs(userId, membership.role), actor: COMMAND_LINE, organizationId }
      await insertEvent(db, now(), { action: 'user.joined', ...event })
    }
    return { userId, slug: personalOrganization.slug }
  })
}
