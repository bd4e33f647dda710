import type { Command } from 'commander'
import { type ApiKey, findApiKey } from '../../server/api-keys/api-key.ts'
import { type RevokedApiKeys, revokeApiKey } from '../../server/api-keys/revoke.ts'
import { type ManyApiKeys, revokeApiKeys } from '../../server/api-keys/revoke-many.ts'
import { addCommand, answering } from '../command.ts'
import { enter, enterByKey, type Inside } from '../inside.ts'
import { factsOf, treeOf } from '../key-facts.ts'
import { allKeys, tableOf } from '../keys.ts'
import { keysMadeBy } from '../makers.ts'
import { type Portal, withPortal } from '../portal.ts'
import { type Asking, askToRevoke, questionAbout } from '../revoking.ts'
import { facts } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

interface Options extends Asking {
  org?: string
  all?: boolean
  madeBy?: string
  includeDescendants?: boolean
}

/** What is asked first, and what is done after a yes. */
interface Plan {
  inside: Inside
  question: string
  revoke: () => Promise<RevokedApiKeys>
}

export function addKeyRevoke(key: Command, terminal: Terminal): void {
  const command = addCommand(key, {
    name: 'revoke',
    says: 'Delete API keys for good: everything that uses them loses access at once. Asks first; several go together or not at all.',
    example: 'key revoke 01kp3v9x2m8q4w7r5t1y6n0b3c --org acme-edge',
  })
    .argument('[ids...]', 'the keys, of one organization: key list shows their ids')
    .option('--org <slug>', 'the organization; with ids, only if they belong to it')
    .option('--all', 'every key of --org')
    .option('--made-by <who>', 'every key of --org that this person or key made: a name or an id')
    .option('--include-descendants', 'of a single key: also those that it made, directly or through others')
    .option('--yes', 'do not ask')
  command.action(
    answering(terminal, (ids: string[], options: Options) => {
      const mistake = mistakeIn(ids, options)
      if (mistake) command.error(`error: ${mistake}`)
      return withPortal(terminal, async (portal) => carryOut(terminal, await planOf(portal, ids, options), options))
    }),
  )
}

function mistakeIn(ids: string[], { org, all, madeBy, includeDescendants }: Options): string | undefined {
  const ways = [ids.length > 0, all === true, madeBy !== undefined].filter((given) => given).length
  if (ways !== 1) return 'give ids, or --all, or --made-by'
  if (ids.length === 0 && org === undefined) return '--all and --made-by need --org'
  if (ids.length !== 1 && includeDescendants) return '--include-descendants goes with a single id'
  return undefined
}

async function carryOut(terminal: Terminal, { inside, question, revoke }: Plan, options: Options) {
  await askToRevoke(terminal, question, options)
  const { ids, revokedAt } = await revoke()
  const { name, slug } = inside.organization
  return {
    document: { ids, revokedAt: isoTime(revokedAt), organization: slug },
    text:
      ids.length === 0
        ? `${name} has no keys to revoke.`
        : `Revoked at ${readableTime(revokedAt)}, for good: ${ids.join(', ')}`,
  }
}

async function planOf(portal: Portal, ids: string[], { org, madeBy, includeDescendants }: Options): Promise<Plan> {
  const [id, another] = ids
  const inside = id === undefined ? await enter(portal, org ?? '') : await enterByKey(portal, id, org)
  const { ctx } = inside
  if (id !== undefined && another === undefined) return planOne(inside, id, includeDescendants ?? false)
  if (id !== undefined) return planMany(inside, await allKeys(ctx, { ids }), { ids })
  const all = await allKeys(ctx)
  if (madeBy === undefined) return planMany(inside, all, { all: true })
  const { keys, many } = keysMadeBy(all, madeBy)
  return planMany(inside, keys, many)
}

function planMany(inside: Inside, keys: ApiKey[], many: ManyApiKeys): Plan {
  const { ctx, organization } = inside
  return {
    inside,
    question: questionAbout(
      `Revoke ${keys.length === 1 ? 'this key' : `these ${keys.length} keys`} of ${organization.name} (${organization.slug})?`,
      tableOf(keys, ctx.now()),
    ),
    revoke: () => revokeApiKeys(ctx, many),
  }
}

async function planOne(inside: Inside, id: string, includeDescendants: boolean): Promise<Plan> {
  const { facts: known, descendants } = await factsOf(inside, await findApiKey(inside.ctx, id))
  const fate = includeDescendants ? 'revoked too' : 'which stay'
  const made = descendants.length === 0 ? 'none' : `${descendants.length}, ${fate}`
  return {
    inside,
    question: questionAbout(
      'Revoke this key?',
      [facts({ ...known, 'keys it made': made }), ...(descendants.length === 0 ? [] : [treeOf(id, descendants)])].join(
        '\n',
      ),
    ),
    revoke: () => revokeApiKey(inside.ctx, id, { includeDescendants }),
  }
}
