import type { Command } from 'commander'
import { type ConnectOptions, remoteOf } from '../api/connect.ts'
import { addCommand, answering } from '../command.ts'
import type { KeySource } from '../key-source/key-source.ts'
import { addKeySourceOptions, localSources, withKeySourceIn } from '../key-source/with-keys.ts'
import { documentOf } from '../keys.ts'
import { idsIn, type KeysOfOrganization, keysOfAll, listOf } from '../keys-by-organization.ts'
import { allOrganizations } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import { type Asking, askToRevoke, inWords, NOT_DURABLE, outcomeOf, questionAbout } from '../revoking.ts'
import type { Terminal } from '../terminal.ts'
import { parseDays } from '../time.ts'

interface Options extends Asking, ConnectOptions {
  unusedFor: number
  dryRun?: boolean
}

export function addKeyPrune(key: Command, terminal: Terminal): void {
  const command = addCommand(key, {
    name: 'prune',
    message: 'Revoke the API keys that have not been used for some time. Lists them and asks first.',
    example: 'key prune --unused-for 90d --dry-run',
  })
  addKeySourceOptions(command, 'the organization (default: all of them, one after the other)')
    .requiredOption(
      '--unused-for <days>',
      'for how long, such as 90d; a key that was never used counts from its creation',
      parseDays,
    )
    .option('--dry-run', 'only list them')
    .option('--yes', 'do not ask')
    .action(answering(terminal, (options: Options) => prune(terminal, options)))
}

function prune(terminal: Terminal, options: Options) {
  const work = (sources: KeySource[]) => pruneIn(terminal, sources, options)
  if (options.org !== undefined || remoteOf(terminal, options) !== undefined)
    return withKeySourceIn(terminal, options, (source) => work([source]))
  return withPortal(terminal, async (portal) => work(await localSources(portal, await allOrganizations(portal))))
}

async function pruneIn(terminal: Terminal, sources: KeySource[], { unusedFor, dryRun = false, ...asking }: Options) {
  const found = await keysOfAll(sources, { unusedForDays: unusedFor })
  const length = `${unusedFor} ${unusedFor === 1 ? 'day' : 'days'}`
  if (found.length === 0) return answerOf([], { dryRun, text: `No key is unused for ${length}.` })
  const list = listOf(found)
  if (dryRun) {
    const text = `Unused for ${length}:\n\n${list}\n\nNothing was revoked: this was a dry run.`
    return answerOf(found, { dryRun, text })
  }
  await askToRevoke(terminal, questionAbout(`Revoke these keys, unused for ${length}?`, list), asking)
  const { gone, durable } = await revokeEach(found, unusedFor)
  const outcome = outcomeOf(idsIn(found), idsIn(gone))
  const words = inWords(outcome, { at: 'now', were: 'used or gone meanwhile' })
  return answerOf(gone, { dryRun, text: durable ? words : `${words}\n${NOT_DURABLE}`, left: outcome.left, durable })
}

/** One transaction for each organization. Revokes only keys that were listed and have not been used in the meantime. */
async function revokeEach(
  found: KeysOfOrganization[],
  unusedForDays: number,
): Promise<{ gone: KeysOfOrganization[]; durable: boolean }> {
  const gone: KeysOfOrganization[] = []
  let durable = true
  for (const { source, keys } of found) {
    const revoked = await source.revokeListed(
      keys.map(({ id }) => id),
      { unusedForDays },
    )
    gone.push({ source, keys: keys.filter(({ id }) => revoked.ids.includes(id)) })
    durable &&= revoked.durable
  }
  return { gone, durable }
}

interface Said {
  dryRun: boolean
  text: string
  left?: readonly string[]
  durable?: boolean
}

const answerOf = (found: KeysOfOrganization[], { dryRun, text, left = [], durable = true }: Said) => ({
  document: {
    dryRun,
    durable,
    notRevoked: left,
    keys: found.flatMap(({ source: { organization }, keys }) =>
      keys.map((apiKey) => ({ ...documentOf(apiKey), organization: organization.slug })),
    ),
  },
  text,
})
