import type { Command } from 'commander'
import { generateApiKey } from '../../server/api-keys/generate.ts'
import { heldSince } from '../../server/api-keys/held-since.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { addCommand, answering } from '../command.ts'
import { orOutcomeUnknown } from '../errors.ts'
import { heldField, heldLines } from '../held.ts'
import { organizationBySlug } from '../organization-context.ts'
import {
  addOwnRulesOptions,
  type OwnRulesOptions,
  ownRulesFrom,
  rulesDetailsOf,
  rulesDocumentOf,
} from '../own-rules.ts'
import { withPortal } from '../portal.ts'
import { detailLines } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { parseTime, readableTime } from '../time.ts'

interface Options extends OwnRulesOptions {
  org: string
  label?: string
  expires?: number
}

export function addKeyGenerate(key: Command, terminal: Terminal): void {
  addOwnRulesOptions(
    addCommand(key, {
      name: 'generate',
      message:
        'Generate an API key, which acts as an Admin of the organization unless less is chosen. Its secret is shown once.',
      example: 'key generate --org acme-edge --label nightly-report --access READ_ONLY',
    })
      .requiredOption('--org <slug>', 'the organization')
      .option('--label <label>', 'what the key is for')
      .option(
        '--expires <date>',
        'expiration date or time; from then on the key is refused (default: never)',
        parseTime,
      ),
  ).action(answering(terminal, (options: Options) => generate(terminal, options)))
}

function generate(terminal: Terminal, { org, label, expires, ...options }: Options) {
  return withPortal(terminal, async (portal) => {
    const { ctx, organization } = await organizationBySlug(portal, org)
    const held = await heldSince(ctx.db) // before the secret exists, which must not be lost
    const generating = generateApiKey(ctx, { label, expiresAt: expires, ...ownRulesFrom(options) })
    const { apiKey, secret } = await orOutcomeUnknown(generating, `${PORTAL} key list --org ${org} shows it.`)
    const { id } = apiKey
    return {
      document: {
        ...{ id, label: apiKey.label, secret, organization: organization.slug },
        ...rulesDocumentOf(apiKey, portal.now()),
        ...heldField(held),
      },
      text: [
        `Generated a key for ${organization.name}.`,
        '',
        detailLines({
          ...{ id, label: apiKey.label, secret, expires: readableTime(apiKey.expiresAt) },
          ...rulesDetailsOf(apiKey, portal.now()),
        }),
        '',
        ...heldLines(held),
        'The secret is shown only now. Keep it like a password: in a secrets manager, never in source control.',
      ].join('\n'),
    }
  })
}
