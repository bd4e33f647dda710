import type { Command } from 'commander'
import { type ApiKey, listApiKeys } from '../../server/api-keys/api-key.ts'
import type { Ctx } from '../../server/ctx.ts'
import { MAX_PAGE_SIZE } from '../../server/lib/page.ts'
import { addCommand, answering } from '../command.ts'
import { enter } from '../inside.ts'
import { withPortal } from '../portal.ts'
import { table } from '../table.ts'
import { isoTime, readableTime } from '../time.ts'

const HEADINGS = ['id', 'label', 'begins with', 'created', 'by', 'last used', 'from', 'expires']

export function addKeyList(key: Command): void {
  addCommand(key, {
    name: 'list',
    says: 'List the API keys of an organization, the newest first: who made them, when and from where they were last used.',
    example: 'key list --org acme-edge',
  })
    .requiredOption('--org <slug>', 'the organization')
    .action(
      answering(({ org }: { org: string }) =>
        withPortal(async (portal) => {
          const { ctx, organization } = await enter(portal, org)
          const keys = await allKeys(ctx)
          return {
            document: keys.map(documentOf),
            text:
              keys.length === 0
                ? `${organization.name} has no keys. Generate one: npx portal key generate --org ${org}`
                : table(
                    HEADINGS,
                    keys.map((apiKey) => cellsOf(apiKey, portal.now())),
                  ),
          }
        }),
      ),
    )
}

async function allKeys(ctx: Ctx): Promise<ApiKey[]> {
  const keys: ApiKey[] = []
  for (let after: string | null = null; ; ) {
    const { data, pageInfo } = await listApiKeys(ctx, { first: MAX_PAGE_SIZE, after })
    keys.push(...data)
    if (!pageInfo.hasNextPage) return keys
    after = pageInfo.endCursor()
  }
}

const documentOf = (apiKey: ApiKey) => ({
  id: apiKey.id,
  label: apiKey.label,
  start: apiKey.start,
  createdAt: isoTime(apiKey.createdAt),
  createdBy: { kind: apiKey.createdByKind, id: apiKey.createdById, name: apiKey.createdByName },
  lastUsedAt: isoTime(apiKey.lastUsedAt),
  lastUsedFrom: apiKey.lastUsedFrom,
  expiresAt: isoTime(apiKey.expiresAt),
})

const cellsOf = (apiKey: ApiKey, now: number) => [
  apiKey.id,
  apiKey.label,
  apiKey.start,
  readableTime(apiKey.createdAt),
  apiKey.createdByName,
  readableTime(apiKey.lastUsedAt),
  apiKey.lastUsedFrom ?? '-',
  `${readableTime(apiKey.expiresAt)}${apiKey.expiresAt !== null && apiKey.expiresAt <= now ? ' (ended)' : ''}`,
]
