import type { Command } from 'commander'
import { originOf } from '../../server/config.ts'
import type { Role } from '../../server/db/tables.ts'
import { checkEmail } from '../../server/lib/check.ts'
import { emailEncryptionOf } from '../../server/mail/encrypted-links.ts'
import { inviteUser } from '../../server/users/invitation.ts'
import { addCommand, answering } from '../command.ts'
import { organizationBySlug } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import { roleOption } from '../role.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  org: string
  name?: string
  role?: Role
}

export function addUserInvite(user: Command, terminal: Terminal): void {
  addCommand(user, {
    name: 'invite',
    message: 'Invite a person to an organization, and print the link, which works once. Earlier links no longer work.',
    example: 'user invite bob@example.com --org acme-edge --role MEMBER',
  })
    .argument('<email>', 'their email address')
    .requiredOption('--org <slug>', 'the organization')
    .option('--name <name>', 'their name, until they set it themselves')
    .addOption(roleOption())
    .action(
      answering(terminal, (email: string, { org, name, role }: Options) =>
        withPortal(terminal, async (portal) => {
          const { ctx, organization } = await organizationBySlug(portal, org)
          const { config } = portal
          const emailEncryption = emailEncryptionOf(config)
          const { user, link } = await inviteUser(ctx, {
            email: checkEmail('email', email),
            name,
            role,
            origin: originOf(config),
            emailEncryption,
          })
          const handOver = emailEncryption ? 'This link is on its way to them by email' : 'Give them this link'
          return {
            document: { email: user.email, role: user.role, organization: org, link },
            text: [
              `Invited ${user.email} into ${organization.name} as ${user.role}. ${handOver}; it works once, for 72 hours:`,
              '',
              `  ${link}`,
            ].join('\n'),
          }
        }),
      ),
    )
}
