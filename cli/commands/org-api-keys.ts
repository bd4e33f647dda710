import { Argument, type Command } from 'commander'
import { activeApiKeyCount } from '../../server/api-keys/api-key.ts'
import { setApiKeysEnabled } from '../../server/api-keys/feature-switch.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { addCommand, answering } from '../command.ts'
import { organizationBySlug } from '../organization-context.ts'
import { withPortal } from '../portal.ts'
import { NOT_DURABLE } from '../revoking.ts'
import type { Terminal } from '../terminal.ts'

export function addOrgApiKeys(org: Command, terminal: Terminal): void {
  addCommand(org, {
    name: 'api-keys',
    message:
      'Switch API keys on or off. When off, no key can be generated; active keys stay active unless you revoke them too.',
    example: 'org api-keys on acme-edge',
  })
    .addArgument(new Argument('<state>', 'on or off').choices(['on', 'off']))
    .argument('<slug>', 'the organization')
    .option('--revoke-active-keys', 'when switching off: revoke every key of the organization, for good and at once')
    .action(
      answering(
        terminal,
        (state: 'on' | 'off', slug: string, { revokeActiveKeys = false }: { revokeActiveKeys?: boolean }) =>
          withPortal(terminal, async (portal) => {
            const { ctx } = await organizationBySlug(portal, slug)
            const { organization, receipt } = await setApiKeysEnabled(ctx, state === 'on', { revokeActiveKeys })
            const { name } = organization
            const { durable } = receipt
            const activeKeys = await activeApiKeyCount(ctx, ctx.caller.organizationId)
            return {
              document: { slug, name, apiKeysEnabled: state === 'on', activeKeys, durable },
              text: [
                state === 'on' ? switchedOn(name, slug, activeKeys) : switchedOff(name, slug, activeKeys),
                ...(durable ? [] : [NOT_DURABLE]),
              ].join('\n'),
            }
          }),
      ),
    )
}

const switchedOn = (name: string, slug: string, active: number) =>
  `API keys are on for ${name}; it has ${keys(active)}. Generate one: ${PORTAL} key generate --org ${slug}`

function switchedOff(name: string, slug: string, active: number): string {
  if (active === 0) return `API keys are off for ${name}; it has ${keys(0)}.`
  return [
    `API keys are off for ${name}: nobody can generate one. ${keys(active)} ${active === 1 ? 'stays' : 'stay'} accepted.`,
    `To revoke as well: ${PORTAL} org api-keys off ${slug} --revoke-active-keys`,
  ].join('\n')
}

const keys = (active: number) => `${active || 'no'} active ${active === 1 ? 'key' : 'keys'}`
