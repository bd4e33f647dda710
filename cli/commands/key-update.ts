import type { Command } from 'commander'
import type { ConnectOptions } from '../api/connect.ts'
import { addCommand, answering } from '../command.ts'
import { addKeySourceOptions, withKeySourceOf } from '../key-source/with-keys.ts'
import { documentOf } from '../keys.ts'
import { addOwnRulesOptions, type OwnRulesOptions, ownRulesFrom, rulesDetailsOf } from '../own-rules.ts'
import { detailLines } from '../table.ts'
import type { Terminal } from '../terminal.ts'

const CLEARABLE = ['device', 'networks', 'not-before', 'per-second', 'per-day'] as const

interface Options extends OwnRulesOptions, ConnectOptions {
  clear?: (typeof CLEARABLE)[number][]
}

const CLEARED = {
  device: { deviceId: null },
  networks: { allowedNetworks: null },
  'not-before': { notBefore: null },
  'per-second': { requestsPerSecond: null },
  'per-day': { requestsPerDay: null },
} as const

export function addKeyUpdate(key: Command, terminal: Terminal): void {
  const command = addOwnRulesOptions(
    addKeySourceOptions(
      addCommand(key, {
        name: 'update',
        message:
          'Narrow or widen an API key: what is given changes at once for every use of the key, everything else stays.',
        example: 'key update 01kp3v9x2m8q4w7r5t1y6n0b3c --access READ_ONLY --network 10.0.0.0/8',
      }).argument('<id>', 'the key: key list shows its id'),
      'only if the key belongs to this organization',
    ),
  ).option('--clear <restrictions...>', `take restrictions away: ${CLEARABLE.join(', ')}`)
  command.action(
    answering(terminal, (id: string, options: Options) => {
      const mistake = mistakeIn(options)
      if (mistake) command.error(`error: ${mistake}`)
      return update(terminal, id, options)
    }),
  )
}

function mistakeIn({ clear = [], ...options }: Options): string | undefined {
  const unknown = clear.find((name) => !CLEARABLE.includes(name))
  if (unknown !== undefined) return `--clear takes ${CLEARABLE.join(', ')}`
  return clear.length === 0 && Object.keys(ownRulesFrom(options)).length === 0 ? 'say what is to change' : undefined
}

function update(terminal: Terminal, id: string, { clear = [], ...options }: Options) {
  return withKeySourceOf(terminal, id, options, async (keys) => {
    const cleared = Object.assign({}, ...clear.map((name) => CLEARED[name]))
    const apiKey = await keys.update(id, { ...cleared, ...ownRulesFrom(options) })
    return {
      document: documentOf(apiKey),
      text: [
        'The key has these restrictions, from now on:',
        '',
        detailLines({ label: apiKey.label, id, ...rulesDetailsOf(apiKey) }),
      ].join('\n'),
    }
  })
}
