import type { Command } from 'commander'
import { findApiKey } from '../../server/api-keys/api-key.ts'
import { type ApiKeyPolicy, policyOf, policyOfKey } from '../../server/api-keys/policy.ts'
import { type ApiKeyUsage, usageOfKeys } from '../../server/api-keys/usage-read.ts'
import { addCommand, answering } from '../command.ts'
import { enterByKey } from '../inside.ts'
import { counted, factsOf } from '../key-facts.ts'
import { documentOf } from '../keys.ts'
import { treeOf } from '../lineage-tree.ts'
import { withPortal } from '../portal.ts'
import { facts, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime } from '../time.ts'

const DAYS_SHOWN = 14

export function addKeyShow(key: Command, terminal: Terminal): void {
  addCommand(key, {
    name: 'show',
    says: 'Show all that is known of an API key: its use by day, from where and for what, and the keys that it made.',
    example: 'key show 01kp3v9x2m8q4w7r5t1y6n0b3c',
  })
    .argument('<id>', 'the key: key list shows its id')
    .option('--org <slug>', 'only if the key belongs to this organization')
    .action(answering(terminal, (id: string, options: { org?: string }) => show(terminal, id, options)))
}

function show(terminal: Terminal, id: string, { org }: { org?: string }) {
  return withPortal(terminal, async (portal) => {
    const inside = await enterByKey(portal, id, org)
    const { ctx, organization } = inside
    const apiKey = await findApiKey(ctx, id)
    const { facts: known, use, descendants } = await factsOf(inside, apiKey)
    const [days = []] = await usageOfKeys(ctx, [id], { since: null, by: 'DAY' })
    const policy = policyOfKey(apiKey, policyOf(organization))
    const parts = [
      facts({
        ...known,
        ...(use.userAgents.length > 0 && { programs: counted(use.userAgents) }),
        ...(use.operations.length > 0 && { operations: counted(use.operations) }),
        ...(apiKey.replacesId !== null && { replaces: apiKey.replacesId }),
        ...(apiKey.replacedById !== null && { 'replaced by': apiKey.replacedById }),
        ...rulesIn(policy),
        'keys it made': String(descendants.length || 'none'),
      }),
      ...(descendants.length === 0 ? [] : [treeOf(id, descendants)]),
      '',
      byDay(days),
    ]
    return {
      document: {
        ...documentOf(apiKey, portal.now()),
        organization: organization.slug,
        policy,
        recentUse: use,
        usage: days.map(({ at, ...counts }) => ({ at: isoTime(at), ...counts })),
        descendants: descendants.map(({ id, label, parentId }) => ({ id, label, parentId })),
      },
      text: parts.join('\n'),
    }
  })
}

/** What it is held to beyond what holds for all keys. */
const rulesIn = ({ allowedNetworks, refuseBrowsers, keysManageKeys }: ApiKeyPolicy) => ({
  ...(allowedNetworks.length > 0 && { 'only from': allowedNetworks.join(', ') }),
  ...(refuseBrowsers && { browsers: 'refused' }),
  ...(!keysManageKeys && { 'may manage keys': 'no' }),
})

function byDay(days: ApiKeyUsage[]): string {
  if (days.length === 0) return 'No use in the last 90 days.'
  const rows = days.slice(-DAYS_SHOWN).map(({ at, calls, errors }) => [dayOf(at), String(calls), String(errors)])
  const left = days.length - rows.length
  return [table(['day', 'calls', 'refused'], rows), ...(left > 0 ? [`${left} days before that: see --json`] : [])].join(
    '\n',
  )
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
