import type { Command } from 'commander'
import {
  type CanaryApiKey,
  deleteCanaryApiKey,
  generateCanaryApiKey,
  listCanaryApiKeys,
} from '../../server/api-keys/canary/canary.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { addCommand, answering } from '../command.ts'
import { orOutcomeUnknown } from '../errors.ts'
import { organizationBySlug } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import { detailLines, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

export function addKeyCanary(key: Command, terminal: Terminal): void {
  const group = key
    .command('canary')
    .description('Canary keys: never accepted, and the Admins are notified when one is used.')
  addGenerate(group, terminal)
  addList(group, terminal)
  addDelete(group, terminal)
}

function addGenerate(canary: Command, terminal: Terminal): void {
  addCommand(canary, {
    name: 'generate',
    message: 'Generate a canary key, to be put where nobody should read. Its secret is shown once.',
    example: 'key canary generate --org acme-edge --label "backup of the build server"',
  })
    .requiredOption('--org <slug>', 'the organization')
    .requiredOption('--label <label>', 'where you put it')
    .action(
      answering(terminal, ({ org, label }: { org: string; label: string }) =>
        withPortal(terminal, async (portal) => {
          const { ctx, organization } = await organizationBySlug(portal, org)
          const look = `${PORTAL} key canary list --org ${org} shows it.`
          const { canaryApiKey, secret } = await orOutcomeUnknown(generateCanaryApiKey(ctx, label), look)
          const { id } = canaryApiKey
          return {
            document: { id, label: canaryApiKey.label, secret, organization: organization.slug },
            text: [
              `Generated a canary key for ${organization.name}.`,
              '',
              detailLines({ id, label: canaryApiKey.label, secret }),
              '',
              'The secret is shown only now. Put it where nobody should read: a call with it is refused, and the Admins are notified.',
            ].join('\n'),
          }
        }),
      ),
    )
}

function addList(canary: Command, terminal: Terminal): void {
  addCommand(canary, {
    name: 'list',
    message: 'List the canary keys of an organization, with how often and from where they were used.',
    example: 'key canary list --org acme-edge',
  })
    .requiredOption('--org <slug>', 'the organization')
    .action(
      answering(terminal, ({ org }: { org: string }) =>
        withPortal(terminal, async (portal) => {
          const { ctx, organization } = await organizationBySlug(portal, org)
          const canaries = await listCanaryApiKeys(ctx)
          const headings = ['id', 'label', 'prefix', 'created', 'calls', 'last used', 'from']
          return {
            document: canaries.map(documentOf),
            text:
              canaries.length === 0 ? `${organization.name} has no canary keys.` : table(headings, canaries.map(rowOf)),
          }
        }),
      ),
    )
}

const rowOf = ({ id, label, prefix, createdAt, calls, lastUsedAt, lastUsedIp }: CanaryApiKey) => [
  id,
  label,
  prefix,
  readableTime(createdAt),
  String(calls),
  readableTime(lastUsedAt),
  lastUsedIp ?? '',
]

const documentOf = ({ createdAt, lastUsedAt, leakedAt, ...canary }: CanaryApiKey) => ({
  id: canary.id,
  label: canary.label,
  prefix: canary.prefix,
  createdAt: isoTime(createdAt),
  calls: canary.calls,
  lastUsedAt: isoTime(lastUsedAt),
  lastUsedIp: canary.lastUsedIp,
  lastUsedUserAgent: canary.lastUsedUserAgent,
  leakedAt: isoTime(leakedAt),
})

function addDelete(canary: Command, terminal: Terminal): void {
  addCommand(canary, {
    name: 'delete',
    message: 'Delete a canary key: from then on nobody is notified when it is used.',
    example: 'key canary delete 01kp3v9x2m8q4w7r5t1y6n0b3c --org acme-edge',
  })
    .argument('<id>', 'the canary key: key canary list shows its id')
    .requiredOption('--org <slug>', 'the organization')
    .action(
      answering(terminal, (id: string, { org }: { org: string }) =>
        withPortal(terminal, async (portal) => {
          const { ctx } = await organizationBySlug(portal, org)
          await deleteCanaryApiKey(ctx, id)
          return { document: { id }, text: `Deleted the canary key ${id}.` }
        }),
      ),
    )
}
