import type { Command } from 'commander'
import { PORTAL } from '../../server/lib/command-name.ts'
import type { ConnectOptions } from '../api/connect.ts'
import { addCommand, answering } from '../command.ts'
import { orOutcomeUnknown } from '../errors.ts'
import type { ShownCanary } from '../key-source/key-source.ts'
import { addKeySourceOptions, withKeySourceIn } from '../key-source/with-keys.ts'
import { detailLines, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { readableTime } from '../time.ts'

export function addKeyCanary(key: Command, terminal: Terminal): void {
  const group = key
    .command('canary')
    .description('Canary keys: never accepted, and the Admins are notified when one is used.')
  addGenerate(group, terminal)
  addList(group, terminal)
  addDelete(group, terminal)
}

function addGenerate(canary: Command, terminal: Terminal): void {
  const command = addCommand(canary, {
    name: 'generate',
    message: 'Generate a canary key, to be put where nobody should read. Its secret is shown once.',
    example: 'key canary generate --org acme-edge --label "backup of the build server"',
  })
  addKeySourceOptions(command, 'the organization')
    .requiredOption('--label <label>', 'where you put it')
    .action(
      answering(terminal, ({ label: given, ...options }: ConnectOptions & { label: string }) =>
        withKeySourceIn(terminal, options, async (keys) => {
          const { name, slug } = keys.organization
          const howToFindOut = `${PORTAL} key canary list --org ${slug} shows it.`
          const { canaryApiKey, secret } = await orOutcomeUnknown(keys.generateCanary(given), howToFindOut)
          const { id, label } = canaryApiKey
          return {
            document: { id, label, secret, organization: slug },
            text: [
              `Generated a canary key for ${name}.`,
              '',
              detailLines({ id, label, secret }),
              '',
              'The secret is shown only now. Put it where nobody should read: a call with it is refused, and the Admins are notified.',
            ].join('\n'),
          }
        }),
      ),
    )
}

function addList(canary: Command, terminal: Terminal): void {
  const command = addCommand(canary, {
    name: 'list',
    message: 'List the canary keys of an organization, with how often and from where they were used.',
    example: 'key canary list --org acme-edge',
  })
  addKeySourceOptions(command, 'the organization').action(
    answering(terminal, (options: ConnectOptions) =>
      withKeySourceIn(terminal, options, async (keys) => {
        const canaries = await keys.canaries()
        const headings = ['id', 'label', 'prefix', 'created', 'calls', 'last used', 'from']
        const none = `${keys.organization.name} has no canary keys.`
        return { document: canaries, text: canaries.length === 0 ? none : table(headings, canaries.map(rowOf)) }
      }),
    ),
  )
}

const rowOf = ({ id, label, prefix, createdAt, calls, lastUsedAt, lastUsedIp }: ShownCanary) => [
  id,
  label,
  prefix,
  readableTime(createdAt),
  String(calls),
  readableTime(lastUsedAt),
  lastUsedIp ?? '',
]

function addDelete(canary: Command, terminal: Terminal): void {
  const command = addCommand(canary, {
    name: 'delete',
    message: 'Delete a canary key: from then on nobody is notified when it is used.',
    example: 'key canary delete 01kp3v9x2m8q4w7r5t1y6n0b3c --org acme-edge',
  }).argument('<id>', 'the canary key: key canary list shows its id')
  addKeySourceOptions(command, 'the organization').action(
    answering(terminal, (id: string, options: ConnectOptions) =>
      withKeySourceIn(terminal, options, async (keys) => {
        await keys.deleteCanary(id)
        return { document: { id }, text: `Deleted the canary key ${id}.` }
      }),
    ),
  )
}
