import type { Command } from 'commander'
import { revokeListedKeys } from '../../server/api-keys/revoke-many.ts'
import { addCommand, answering } from '../command.ts'
import { documentOf } from '../keys.ts'
import { idsIn, type KeysOfOrganization, keysOfAll, listOf } from '../keys-by-organization.ts'
import { allOrganizations, organizationBySlug } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import { type Asking, askToRevoke, inWords, NOT_DURABLE, outcomeOf, questionAbout } from '../revoking.ts'
import type { Terminal } from '../terminal.ts'
import { parseDays } from '../time.ts'

interface Options extends Asking {
  org?: string
  unusedFor: number
  dryRun?: boolean
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
    const targets = org === undefined ? await allOrganizations(portal) : [await organizationBySlug(portal, org)]
    const found = await keysOfAll(targets, { unusedForDays })
    const length = `${unusedForDays} ${unusedForDays === 1 ? 'day' : 'days'}`
    if (found.length === 0) return answerOf([], { dryRun, now: portal.now(), text: `No key is unused for ${length}.` })
    const list = listOf(found, portal.now())
    if (dryRun) {
      const text = `Unused for ${length}:\n\n${list}\n\nNothing was revoked: this was a dry run.`
      return answerOf(found, { dryRun, now: portal.now(), text })
    }
    await askToRevoke(terminal, questionAbout(`Revoke these keys, unused for ${length}?`, list), asking)
    const { gone, durable } = await revokeEach(found, unusedForDays)
    const outcome = outcomeOf(idsIn(found), idsIn(gone))
    const words = inWords(outcome, { at: 'now', were: 'used or gone meanwhile' })
    const text = durable ? words : `${words}\n${NOT_DURABLE}`
    return answerOf(gone, { dryRun, now: portal.now(), text, left: outcome.left, durable })
  })
}

/** One transaction for each organization. Revokes only keys that were listed and have not been used in the meantime. */
async function revokeEach(
  found: KeysOfOrganization[],
  unusedForDays: number,
): Promise<{ gone: KeysOfOrganization[]; durable: boolean }> {
  const gone: KeysOfOrganization[] = []
  let durable = true
  for (const { target, keys } of found) {
    const listed = keys.map(({ id }) => id)
    const { ids, receipt } = await revokeListedKeys(target.ctx, listed, { unusedForDays })
    gone.push({ target, keys: keys.filter(({ id }) => ids.includes(id)) })
    durable &&= receipt.durable
  }
  return { gone, durable }
}

interface Said {
  dryRun: boolean
  now: number
  text: string
  left?: readonly string[]
  durable?: boolean
}

const answerOf = (found: KeysOfOrganization[], { dryRun, now, text, left = [], durable = true }: Said) => ({
  document: {
    dryRun,
    durable,
    notRevoked: left,
    keys: found.flatMap(({ target, keys }) =>
      keys.map((apiKey) => ({ ...documentOf(apiKey, now), organization: target.organization.slug })),
    ),
  },
  text,
})
