import type { Command } from 'commander'
import { addRemoteOptions, type ConnectOptions, reach, type Target, withApi } from '../api/connect.ts'
import { type OrganizationContext, organizationOfKey } from '../organization-context.ts'
import type { Portal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'
import { type KeySource, keySource } from './key-source.ts'

type Work<Done> = (keys: KeySource) => Promise<Done>

/** `--org`, and the options for a portal elsewhere. */
export const addKeySourceOptions = (command: Command, org: string): Command =>
  addRemoteOptions(command.option('--org <slug>', org))

/** Runs `work` with the keys of the organization that `target` finds in this database, or of the portal elsewhere. */
export const withKeySource = <Done>(terminal: Terminal, options: ConnectOptions, target: Target, work: Work<Done>) =>
  reach(terminal, options, target, async (api, now) => work(await keySource(api, now)))

/** Runs `work` with the keys of the organization of this key, or of the portal elsewhere. */
export const withKeySourceOf = <Done>(terminal: Terminal, id: string, options: ConnectOptions, work: Work<Done>) =>
  withKeySource(terminal, options, (portal) => organizationOfKey(portal, id, options.org), work)

/** Runs `work` with the keys of the organization of `--org`, or of the portal elsewhere. */
export const withKeySourceIn = <Done>(terminal: Terminal, options: ConnectOptions, work: Work<Done>) =>
  withApi(terminal, options, async (api, now) => work(await keySource(api, now)))

/** The keys of each of these organizations of this database. */
export async function localSources(portal: Portal, targets: readonly OrganizationContext[]): Promise<KeySource[]> {
  const { localApis } = await import('../api/local-api.ts')
  const apiOf = await localApis(portal)
  const sources: KeySource[] = []
  for (const target of targets) sources.push(await keySource(apiOf(target), portal.now))
  return sources
}
