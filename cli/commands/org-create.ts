import type { Command } from 'commander'
import { checkEmail } from '../../server/lib/check.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { addCommand, answering } from '../command.ts'
import { createOrganization } from '../organizations.ts'
import { withPortal } from '../portal.ts'
import { detailLines } from '../table.ts'
import type { Terminal } from '../terminal.ts'

export function addOrgCreate(org: Command, terminal: Terminal): void {
  addCommand(org, {
    name: 'create',
    message: 'Create an organization. API keys are off at first.',
    example: 'org create "Acme Edge" --admin ada@example.com',
  })
    .argument('<name>', 'its name; the slug is derived from it')
    .option('--admin <email>', 'its first Admin: the email address of an existing account')
    .action(
      answering(terminal, (name: string, options: { admin?: string }) =>
        withPortal(terminal, async (portal) => {
          const admin = options.admin === undefined ? undefined : checkEmail('admin', options.admin)
          const { id, slug, name: called } = await createOrganization(portal, name, admin)
          return {
            document: { id, slug, name: called, apiKeysEnabled: false, admin: admin ?? null },
            text: [
              'Created the organization.',
              '',
              detailLines({ slug, name: called, admin: admin ?? 'nobody yet', 'api keys': 'off' }),
              '',
              `Switch API keys on: ${PORTAL} org api-keys on ${slug}`,
            ].join('\n'),
          }
        }),
      ),
    )
}
