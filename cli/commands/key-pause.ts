import type { Command } from 'commander'
import { pauseApiKey, resumeApiKey } from '../../server/api-keys/pause/pause.ts'
import { SECOND } from '../../server/lib/clock.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { addCommand, answering } from '../command.ts'
import { documentOf } from '../keys.ts'
import { organizationOfKey } from '../organization-context.ts'
import { pauseEnd } from '../own-rules.ts'
import { withPortal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'
import { parseLength } from '../time.ts'

interface Options {
  org?: string
  for?: number
}

export function addKeyPause(key: Command, terminal: Terminal): void {
  addCommand(key, {
    name: 'pause',
    message: 'Pause an API key: it is refused at once, until it is resumed or the time is over. Nothing is deleted.',
    example: 'key pause 01kp3v9x2m8q4w7r5t1y6n0b3c --for 1h',
  })
    .argument('<id>', 'the key: key list shows its id')
    .option('--org <slug>', 'only if the key belongs to this organization')
    .option('--for <length>', 'how long, such as 1h; up to 365d (default: until it is resumed)', parseLength)
    .action(
      answering(terminal, (id: string, { org, for: length }: Options) =>
        withPortal(terminal, async (portal) => {
          const { ctx } = await organizationOfKey(portal, id, org)
          const apiKey = await pauseApiKey(ctx, id, length === undefined ? undefined : length / SECOND)
          return {
            document: documentOf(apiKey, portal.now()),
            text: `Paused the key ${apiKey.label} ${pauseEnd(apiKey)}. Who misses it? ${PORTAL} key show ${id}`,
          }
        }),
      ),
    )
}

export function addKeyResume(key: Command, terminal: Terminal): void {
  addCommand(key, {
    name: 'resume',
    message: 'Resume an API key that is paused: it is accepted at once.',
    example: 'key resume 01kp3v9x2m8q4w7r5t1y6n0b3c',
  })
    .argument('<id>', 'the key: key list shows its id')
    .option('--org <slug>', 'only if the key belongs to this organization')
    .action(
      answering(terminal, (id: string, { org }: Options) =>
        withPortal(terminal, async (portal) => {
          const { ctx } = await organizationOfKey(portal, id, org)
          const apiKey = await resumeApiKey(ctx, id)
          return { document: documentOf(apiKey, portal.now()), text: `The key ${apiKey.label} is not paused.` }
        }),
      ),
    )
}
