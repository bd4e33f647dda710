import type { Command } from 'commander'
import { type Accepted, acceptKeys, findHold, type Hold, NOT_HELD } from '../../server/ledger/accept.ts'
import { ReplacedPrimary } from '../../server/ledger/unite.ts'
import { AppError } from '../../server/lib/app-error.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { addCommand, answering } from '../command.ts'
import { localSources } from '../key-source/with-keys.ts'
import { idsIn, type KeysOfOrganization, keysOfAll, listOf, thoseThat } from '../keys-by-organization.ts'
import { allOrganizations } from '../organization-context.ts'
import { type Portal, withPortal } from '../portal.ts'
import { type Asking, askFirst, NOT_DURABLE } from '../revoking.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

interface Options extends Asking {
  revokeAll?: boolean
  keep?: string[]
  keepAll?: boolean
}

export function addRestoreAccept(restore: Command, terminal: Terminal): void {
  const command = addCommand(restore, {
    name: 'accept',
    message:
      'Decide which API keys of a restored database are accepted again, where the portal cannot know which of them had been revoked. Asks first.',
    example: 'restore accept --keep 01kp3v9x2m8q4w7r5t1y6n0b3c',
  })
    .option('--revoke-all', 'revoke every key of every organization')
    .option('--keep <ids...>', 'revoke every key but these: key list shows their ids')
    .option('--keep-all', 'revoke none: also keys that were revoked before the restore are accepted again')
    .option('--yes', 'do not ask')
  command.action(
    answering(terminal, (options: Options) => {
      const ways = [options.revokeAll, options.keep, options.keepAll].filter((given) => given !== undefined).length
      if (ways !== 1) command.error('error: give --revoke-all, or --keep, or --keep-all')
      return accept(terminal, options)
    }),
  )
}

async function accept(terminal: Terminal, options: Options) {
  try {
    return await withPortal(terminal, (portal) => decide(terminal, portal, options))
  } catch (error) {
    if (!(error instanceof ReplacedPrimary)) throw error
    await ask(terminal, questionAboutServer(error.message), options)
  }
  const decideOrSay = async (portal: Portal) =>
    (await findHold(portal.database.read)) ? decide(terminal, portal, options) : answerOf(undefined, undefined)
  return withPortal(terminal, decideOrSay, { acceptsOldPrimary: true })
}

async function decide(terminal: Terminal, portal: Portal, { revokeAll, keep = [], keepAll, ...asking }: Options) {
  const { database } = portal
  const hold = await findHold(database.read)
  if (!hold) throw new AppError('CONFLICT', { message: NOT_HELD })
  const found = await keysOfAll(await localSources(portal, await allOrganizations(portal)))
  requireAll(keep, idsIn(found))
  const isKept = ({ id }: { id: string }) => keepAll === true || keep.includes(id)
  const toRevoke = thoseThat(found, (key) => !isKept(key))
  await ask(terminal, questionOf({ toRevoke, toKeep: thoseThat(found, isKept) }), asking)
  return answerOf(hold, await acceptKeys(database, hold, new Set(idsIn(toRevoke))))
}

const ask = (terminal: Terminal, question: string, asking: Asking) =>
  askFirst(terminal, question, { ...asking, otherwise: 'Nothing was changed: answer yes, or give --yes.' })

/** Checked before the question: if one of them does not exist, nothing changes. */
function requireAll(keep: readonly string[], existing: readonly string[]): void {
  const known = new Set(existing)
  if (keep.every((id) => known.has(id))) return
  throw new AppError('NOT_FOUND', {
    message: `One of the keys to keep does not exist, so nothing was changed: ${PORTAL} key list --org SLUG shows them.`,
  })
}

interface Plan {
  toRevoke: KeysOfOrganization[]
  toKeep: KeysOfOrganization[]
}

const questionOf = ({ toRevoke, toKeep }: Plan) =>
  [
    'No API key is accepted now. Accept keys again?',
    '',
    ...part('Revoked, for good:', listOf(toRevoke)),
    ...part('Accepted again, even if one of them had been revoked before the restore:', listOf(toKeep)),
    'Answer yes to continue: ',
  ].join('\n')

const part = (title: string, list: string) => [title, '', list || 'none', '']

const questionAboutServer = (why: string) =>
  [
    why,
    '',
    'Use this server all the same? Everybody is signed out, and what only the new primary has is lost.',
    'Answer yes to continue: ',
  ].join('\n')

function answerOf(hold: Hold | undefined, accepted: Accepted | undefined) {
  const { revoked = [], accepted: count = null, at = null, receipt = { durable: true } } = accepted ?? {}
  const text = accepted
    ? [
        `Keys are accepted again since ${readableTime(at)}: ${count} accepted, ${revoked.length} revoked.`,
        ...(receipt.durable ? [] : [NOT_DURABLE]),
      ].join('\n')
    : 'This server of PostgreSQL is used from now on. No API key is held: what had been revoked is known.'
  return {
    document: {
      heldSince: isoTime(hold?.since ?? null),
      acceptedAt: isoTime(at),
      accepted: count,
      revoked,
      durable: receipt.durable,
    },
    text,
  }
}
