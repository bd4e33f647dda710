import type { Command } from 'commander'
import { addRemoteOptions, type ConnectOptions, connectTo, remoteOf } from '../api/connect.ts'
import { type OrganizationContext, organizationBySlug, organizationOfKey } from '../organization-context.ts'
import { type Portal, withPortal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'
import type { KeySource } from './key-source.ts'

/** `--org`, and the options for a portal elsewhere. */
export const addKeySourceOptions = (command: Command, org: string): Command =>
  addRemoteOptions(command.option('--org <slug>', org))

type Target = (portal: Portal) => Promise<OrganizationContext>

/** Runs `work` with the keys of the organization that `target` finds in this database, or of the portal elsewhere. */
export async function withKeySource<Done>(
  terminal: Terminal,
  options: ConnectOptions,
  target: Target,
  work: (keys: KeySource) => Promise<Done>,
): Promise<Done> {
  const address = remoteOf(terminal, options)
  if (address !== undefined) {
    const { remoteKeys } = await import('./remote-keys.ts')
    return work(await remoteKeys(await connectTo(terminal, address, options)))
  }
  return withPortal(terminal, async (portal) => {
    const { localKeys } = await import('./local-keys.ts')
    return work(localKeys(await target(portal)))
  })
}

/** The same with the organization of this key. */
export const withKeySourceOf = <Done>(
  terminal: Terminal,
  id: string,
  options: ConnectOptions,
  work: (keys: KeySource) => Promise<Done>,
): Promise<Done> => withKeySource(terminal, options, (portal) => organizationOfKey(portal, id, options.org), work)

/** The same with the organization of `--org`, which is required for this database. */
export function withKeySourceIn<Done>(
  terminal: Terminal,
  command: Command,
  options: ConnectOptions,
  work: (keys: KeySource) => Promise<Done>,
): Promise<Done> {
  const { org } = options
  if (org === undefined && remoteOf(terminal, options) === undefined)
    command.error("error: required option '--org <slug>' not specified")
  return withKeySource(terminal, options, (portal) => organizationBySlug(portal, org ?? ''), work)
}
