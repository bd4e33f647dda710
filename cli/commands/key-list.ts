import type { Command } from 'commander'
import { heldSince } from '../../server/api-keys/held-since.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { addCommand, answering } from '../command.ts'
import { heldField, heldLines } from '../held.ts'
import { allKeys, documentOf, tableOf } from '../keys.ts'
import { organizationBySlug } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'

export function addKeyList(key: Command, terminal: Terminal): void {
  addCommand(key, {
    name: 'list',
    message:
      'List the API keys of an organization, the newest first: who created them, and when and from which IP address they were last used.',
    example: 'key list --org acme-edge',
  })
    .requiredOption('--org <slug>', 'the organization')
    .action(
      answering(terminal, ({ org }: { org: string }) =>
        withPortal(terminal, async (portal) => {
          const { ctx, organization } = await organizationBySlug(portal, org)
          const keys = await allKeys(ctx)
          const held = await heldSince(ctx.db)
          return {
            document: keys.map((apiKey) => ({ ...documentOf(apiKey, portal.now()), ...heldField(held) })),
            text:
              keys.length === 0
                ? `${organization.name} has no keys. Generate one: ${PORTAL} key generate --org ${org}`
                : [...heldLines(held), tableOf(keys, portal.now())].join('\n'),
          }
        }),
      ),
    )
}
