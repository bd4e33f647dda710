import type { Command } from 'commander'
import type { ApiKey } from '../../server/api-keys/api-key.ts'
import { revokeListedKeys } from '../../server/api-keys/revoke-many.ts'
import { addCommand, answering } from '../command.ts'
import { allKeys, documentOf, tableOf } from '../keys.ts'
import { allOrganizations, type OrganizationContext, organizationBySlug } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import { type Asking, askToRevoke, inWords, outcomeOf, questionAbout } from '../revoking.ts'
import type { Terminal } from '../terminal.ts'
import { parseDays } from '../time.ts'

interface Options extends Asking {
  org?: string
  unusedFor: number
  dryRun?: boolean
}

/** The unused keys of one organization. */
interface Found {
  target: OrganizationContext
  keys: ApiKey[]
}

export function addKeyPrune(key: Command, terminal: Terminal): void {
  addCommand(key, {
    name: 'prune',
    message: 'Revoke the API keys that have not been used for some time. Lists them and asks first.',
    example: 'key prune --unused-for 90d --dry-run',
  })
    .requiredOption(
      '--unused-for <days>',
      'for how long, such as 90d; a key that was never used counts from its creation',
      parseDays,
    )
    .option('--org <slug>', 'the organization (default: all of them, one after the other)')
    .option('--dry-run', 'only list them')
    .option('--yes', 'do not ask')
    .action(answering(terminal, (options: Options) => prune(terminal, options)))
}

function prune(terminal: Terminal, { org, unusedFor: unusedForDays, dryRun = false, ...asking }: Options) {
  return withPortal(terminal, async (portal) => {
    const found: Found[] = []
    for (const target of org === undefined ? await allOrganizations(portal) : [await organizationBySlug(portal, org)]) {
      const keys = await allKeys(target.ctx, { unusedForDays })
      if (keys.length > 0) found.push({ target, keys })
    }
    const length = `${unusedForDays} ${unusedForDays === 1 ? 'day' : 'days'}`
    if (found.length === 0) return answerOf([], { dryRun, now: portal.now(), text: `No key is unused for ${length}.` })
    const list = listOf(found, portal.now())
    if (dryRun) {
      const text = `Unused for ${length}:\n\n${list}\n\nNothing was revoked: this was a dry run.`
      return answerOf(found, { dryRun, now: portal.now(), text })
    }
    await askToRevoke(terminal, questionAbout(`Revoke these keys, unused for ${length}?`, list), asking)
    const gone = await revokeEach(found, unusedForDays)
    const outcome = outcomeOf(idsIn(found), idsIn(gone))
    const text = inWords(outcome, { at: 'now', were: 'used or gone meanwhile' })
    return answerOf(gone, { dryRun, now: portal.now(), text, left: outcome.left })
  })
}

/** One transaction for each organization. Revokes only keys that were listed and have not been used in the meantime. */
async function revokeEach(found: Found[], unusedForDays: number): Promise<Found[]> {
  const gone: Found[] = []
  for (const { target, keys } of found) {
    const listed = keys.map(({ id }) => id)
    const { ids } = await revokeListedKeys(target.ctx, listed, { unusedForDays })
    gone.push({ target, keys: keys.filter(({ id }) => ids.includes(id)) })
  }
  return gone
}

const idsIn = (found: Found[]) => found.flatMap(({ keys }) => keys.map(({ id }) => id))

const listOf = (found: Found[], now: number) =>
  found
    .map(({ target: { organization }, keys }) => `${organization.name} (${organization.slug})\n${tableOf(keys, now)}`)
    .join('\n\n')

interface Said {
  dryRun: boolean
  now: number
  text: string
  left?: readonly string[]
}

const answerOf = (found: Found[], { dryRun, now, text, left = [] }: Said) => ({
  document: {
    dryRun,
    notRevoked: left,
    keys: found.flatMap(({ target, keys }) =>
      keys.map((apiKey) => ({ ...documentOf(apiKey, now), organization: target.organization.slug })),
    ),
  },
  text,
})
