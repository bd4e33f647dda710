import type { Command } from 'commander'
import { SECOND } from '../../server/lib/clock.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import type { ConnectOptions } from '../api/connect.ts'
import { addCommand, answering } from '../command.ts'
import { addKeySourceOptions, withKeySourceOf } from '../key-source/with-keys.ts'
import { documentOf } from '../keys.ts'
import { pauseEnd } from '../own-rules.ts'
import type { Terminal } from '../terminal.ts'
import { parseLength } from '../time.ts'

interface Options extends ConnectOptions {
  for?: number
}

const ONLY_OF = 'only if the key belongs to this organization'

export function addKeyPause(key: Command, terminal: Terminal): void {
  const command = addCommand(key, {
    name: 'pause',
    message: 'Pause an API key: it is refused at once, until it is resumed or the time is over. Nothing is deleted.',
    example: 'key pause 01kp3v9x2m8q4w7r5t1y6n0b3c --for 1h',
  }).argument('<id>', 'the key: key list shows its id')
  addKeySourceOptions(command, ONLY_OF)
    .option('--for <length>', 'how long, such as 1h; up to 365d (default: until it is resumed)', parseLength)
    .action(
      answering(terminal, (id: string, { for: length, ...options }: Options) =>
        withKeySourceOf(terminal, id, options, async (keys) => {
          const apiKey = await keys.pause(id, length === undefined ? undefined : length / SECOND)
          return {
            document: documentOf(apiKey),
            text: `Paused the key ${apiKey.label} ${pauseEnd(apiKey)}. Who misses it? ${PORTAL} key show ${id}`,
          }
        }),
      ),
    )
}

export function addKeyResume(key: Command, terminal: Terminal): void {
  const command = addCommand(key, {
    name: 'resume',
    message: 'Resume an API key that is paused: it is accepted at once.',
    example: 'key resume 01kp3v9x2m8q4w7r5t1y6n0b3c',
  }).argument('<id>', 'the key: key list shows its id')
  addKeySourceOptions(command, ONLY_OF).action(
    answering(terminal, (id: string, options: ConnectOptions) =>
      withKeySourceOf(terminal, id, options, async (keys) => {
        const apiKey = await keys.resume(id)
        return { document: documentOf(apiKey), text: `The key ${apiKey.label} is not paused.` }
      }),
    ),
  )
}
