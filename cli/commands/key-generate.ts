import type { Command } from 'commander'
import { PORTAL } from '../../server/lib/command-name.ts'
import type { ConnectOptions } from '../api/connect.ts'
import { addCommand, answering } from '../command.ts'
import { orOutcomeUnknown } from '../errors.ts'
import { heldField, heldLines } from '../held-notice.ts'
import { addKeySourceOptions, withKeySourceIn } from '../key-source/with-keys.ts'
import {
  addOwnRulesOptions,
  type OwnRulesOptions,
  ownRulesFrom,
  rulesDetailsOf,
  rulesDocumentOf,
} from '../own-rules.ts'
import { detailLines } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { parseTime, readableTime } from '../time.ts'

interface Options extends OwnRulesOptions, ConnectOptions {
  label?: string
  expires?: number
}

export function addKeyGenerate(key: Command, terminal: Terminal): void {
  const command = addOwnRulesOptions(
    addKeySourceOptions(
      addCommand(key, {
        name: 'generate',
        message:
          'Generate an API key, which acts as an Admin of the organization unless less is chosen. Its secret is shown once.',
        example: 'key generate --org acme-edge --label nightly-report --access READ_ONLY',
      }),
      'the organization',
    )
      .option('--label <label>', 'what the key is for')
      .option(
        '--expires <date>',
        'expiration date or time; from then on the key is refused (default: never)',
        parseTime,
      ),
  )
  command.action(answering(terminal, (options: Options) => generate(terminal, options)))
}

function generate(terminal: Terminal, { label, expires, ...options }: Options) {
  return withKeySourceIn(terminal, options, async (keys) => {
    const { organization } = keys
    const held = await keys.heldSince() // before the secret exists, which must not be lost
    const generating = keys.generate({ label, expiresAt: expires, ...ownRulesFrom(options) })
    const { apiKey, secret } = await orOutcomeUnknown(
      generating,
      `${PORTAL} key list --org ${organization.slug} shows it.`,
    )
    const { id } = apiKey
    return {
      document: {
        ...{ id, label: apiKey.label, secret, organization: organization.slug },
        ...rulesDocumentOf(apiKey),
        ...heldField(held),
      },
      text: [
        `Generated a key for ${organization.name}.`,
        '',
        detailLines({
          ...{ id, label: apiKey.label, secret, expires: readableTime(apiKey.expiresAt) },
          ...rulesDetailsOf(apiKey),
        }),
        '',
        ...heldLines(held),
        'The secret is shown only now. Keep it like a password: in a secrets manager, never in source control.',
      ].join('\n'),
    }
  })
}
