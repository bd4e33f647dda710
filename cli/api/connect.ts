import type { Command } from 'commander'
import { badInput } from '../../server/lib/check.ts'
import { type Clock, systemClock } from '../../server/lib/clock.ts'
import { type OrganizationContext, organizationBySlug } from '../organization-context.ts'
import { type Portal, withPortal } from '../portal.ts'
import { print, type Terminal } from '../terminal.ts'
import { readApiSecret } from './api-secret.ts'
import type { Api } from './graphql-api.ts'
import { endpointOf } from './remote-url.ts'

/** Which portal a command is for, and as whom. */
export interface ConnectOptions {
  remote?: string
  secretFile?: string
  insecure?: boolean
  org?: string
}

export const addRemoteOptions = (command: Command): Command =>
  command
    .option('--remote <url>', 'a portal elsewhere, with a key from API_SECRET; also PORTAL_URL')
    .option('--secret-file <path>', 'with --remote: a file with the secret of the key')
    .option('--insecure', 'with --remote: allow http:// to another machine')

/** The address of a portal elsewhere; undefined: the database of this machine. `--org` is for the latter. */
export function remoteOf({ env }: Terminal, { remote, org }: ConnectOptions): string | undefined {
  if (remote !== undefined && org !== undefined)
    throw badInput('org', '--org: not with --remote, where the key decides which organization it is.')
  return remote ?? (org === undefined ? env['PORTAL_URL']?.trim() || undefined : undefined)
}

/** The API of the portal elsewhere. */
async function connectTo(
  terminal: Terminal,
  address: string,
  { secretFile, insecure = false, stdinIsTaken = false }: ConnectOptions & { stdinIsTaken?: boolean },
): Promise<Api> {
  const endpoint = endpointOf(address, { insecure })
  const secret = await readApiSecret(terminal, { secretFile, stdinIsTaken })
  const { remoteApi } = await import('./remote-api.ts') // loads graphql only when it is needed
  const onWait = (seconds: number) => {
    if (!terminal.json) print(terminal.stderr, `The portal asks to wait for ${seconds} s.\n`)
  }
  return remoteApi({ endpoint, secret, onWait })
}

/** Finds the organization in the database of this machine. */
export type Target = (portal: Portal) => Promise<OrganizationContext>

type Work<Done> = (api: Api, now: Clock) => Promise<Done>

/** Runs `work` with the API of a portal elsewhere, or as the operator with that of the organization that `target` finds (C9). */
export async function reach<Done>(
  terminal: Terminal,
  options: ConnectOptions & { stdinIsTaken?: boolean },
  target: Target,
  work: Work<Done>,
): Promise<Done> {
  const address = remoteOf(terminal, options)
  if (address !== undefined) return work(await connectTo(terminal, address, options), systemClock)
  return withPortal(terminal, async (portal) => {
    const found = await target(portal)
    const { localApis } = await import('./local-api.ts')
    return work((await localApis(portal))(found), portal.now)
  })
}

/** Runs `work` with the API of a portal elsewhere, or of the organization of `--org`. */
export async function withApi<Done>(
  terminal: Terminal,
  options: ConnectOptions & { stdinIsTaken?: boolean },
  work: Work<Done>,
): Promise<Done> {
  const { org } = options
  if (org === undefined && remoteOf(terminal, options) === undefined)
    throw badInput(
      'org',
      'Give --org, the organization in the database of this machine, or --remote, a portal elsewhere.',
    )
  return reach(terminal, options, (portal) => organizationBySlug(portal, org ?? ''), work)
}
