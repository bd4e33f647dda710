import type { Command } from 'commander'
import { findApiKey } from '../../server/api-keys/api-key.ts'
import { revokeApiKey } from '../../server/api-keys/revoke.ts'
import { countRows } from '../../server/db/count.ts'
import { confirm } from '../ask.ts'
import { addCommand, answering } from '../command.ts'
import { enterByKey, type Inside } from '../inside.ts'
import { withPortal } from '../portal.ts'
import { facts } from '../table.ts'
import { isoTime, readableTime } from '../time.ts'
import { NotConfirmed } from '../trouble.ts'

interface Options {
  org?: string
  includeDescendants?: boolean
  yes?: boolean
  json?: boolean
}

export function addKeyRevoke(key: Command): void {
  addCommand(key, {
    name: 'revoke',
    says: 'Delete an API key for good: everything that uses it loses access at once. Asks first.',
    example: 'key revoke 01kp3v9x2m8q4w7r5t1y6n0b3c --org acme-edge',
  })
    .argument('<id>', 'the key: key list shows its id')
    .option('--org <slug>', 'only if the key belongs to this organization')
    .option('--include-descendants', 'also the keys that it made, directly or through others')
    .option('--yes', 'do not ask')
    .action(answering(revoke))
}

function revoke(id: string, { org, includeDescendants = false, yes = false, json = false }: Options) {
  return withPortal(async (portal) => {
    const inside = await enterByKey(portal, id, org)
    const question = await questionOf(inside, id, includeDescendants)
    if (!yes && !(await confirm(question, { json }))) {
      throw new NotConfirmed('Nothing was revoked: answer yes, or give --yes.')
    }
    const { ids, revokedAt } = await revokeApiKey(inside.ctx, id, { includeDescendants })
    return {
      document: { ids, revokedAt: isoTime(revokedAt), organization: inside.organization.slug },
      text: `Revoked at ${readableTime(revokedAt)}, for good: ${ids.join(', ')}`,
    }
  })
}

async function questionOf({ ctx, organization }: Inside, id: string, includeDescendants: boolean): Promise<string> {
  const apiKey = await findApiKey(ctx, id)
  const descendants = await countRows(ctx.db.selectFrom('apiKeyLineage').where('ancestorId', '=', id))
  const from = apiKey.lastUsedFrom === null ? '' : ` from ${apiKey.lastUsedFrom}`
  return [
    'Revoke this key?',
    '',
    facts({
      label: apiKey.label,
      id,
      'begins with': apiKey.start,
      organization: `${organization.name} (${organization.slug})`,
      created: `${readableTime(apiKey.createdAt)} by ${apiKey.createdByName}`,
      'last used': `${readableTime(apiKey.lastUsedAt)}${from}`,
      'keys it made':
        descendants === 0 ? 'none' : `${descendants}, ${includeDescendants ? 'revoked too' : 'which stay'}`,
    }),
    '',
    'This is permanent, and everything that uses it loses access at once. Answer yes to go on: ',
  ].join('\n')
}
