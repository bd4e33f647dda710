import type { Command } from 'commander'
import { PORTAL } from '../../server/lib/command-name.ts'
import type { ConnectOptions } from '../api/connect.ts'
import { addCommand, answering } from '../command.ts'
import { heldField, heldLines } from '../held-notice.ts'
import { addKeySourceOptions, withKeySourceIn } from '../key-source/with-keys.ts'
import { documentOf, tableOf } from '../keys.ts'
import type { Terminal } from '../terminal.ts'

export function addKeyList(key: Command, terminal: Terminal): void {
  const command = addKeySourceOptions(
    addCommand(key, {
      name: 'list',
      message:
        'List the API keys of an organization, the newest first: who created them, and when and from which IP address they were last used.',
      example: 'key list --org acme-edge',
    }),
    'the organization',
  )
  command.action(
    answering(terminal, (options: ConnectOptions) =>
      withKeySourceIn(terminal, options, async (source) => {
        const { name, slug } = source.organization
        const keys = await source.list()
        const held = await source.heldSince()
        return {
          document: keys.map((apiKey) => ({ ...documentOf(apiKey), ...heldField(held) })),
          text:
            keys.length === 0
              ? `${name} has no keys. Generate one: ${PORTAL} key generate --org ${slug}`
              : [...heldLines(held), tableOf(keys, source.now())].join('\n'),
        }
      }),
    ),
  )
}
