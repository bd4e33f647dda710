import { type Command, Option } from 'commander'
import type { ConnectOptions } from '../api/connect.ts'
import { addCommand } from '../command.ts'
import { asCsv, asJson, asText } from '../key-changes-table.ts'
import { addKeySourceOptions, withKeySource } from '../key-source/with-keys.ts'
import { writePart } from '../new-file.ts'
import { organizationOfFormerKey } from '../organization-context.ts'
import type { Portal } from '../portal.ts'
import { print, type Terminal } from '../terminal.ts'
import { parseTime } from '../time.ts'

interface Options extends ConnectOptions {
  since?: number
  json?: boolean
  csv?: boolean
}

export function addKeyChanges(key: Command, terminal: Terminal): void {
  const command = addCommand(key, {
    name: 'changes',
    message:
      'List what an API key and the keys that it created have changed, the newest first, with the values before and after. The keys may have been revoked.',
    example: 'key changes 01kp3v9x2m8q4w7r5t1y6n0b3c --since 2027-01-01 --csv',
  }).argument('<id>', 'the key: key list and the audit log show its id')
  addKeySourceOptions(command, 'the organization; needed for a key that was deleted long ago')
    .option('--since <date>', 'only from this date or time on (default: since the key was generated)', parseTime)
    .addOption(new Option('--csv', 'print a CSV file, with a line for each field').conflicts('json'))
    .action((id: string, options: Options) => printChanges(terminal, id, options))
}

function printChanges(terminal: Terminal, id: string, { since, json, csv, ...options }: Options): Promise<void> {
  const target = (portal: Portal) => organizationOfFormerKey(portal, id, options.org)
  return withKeySource(terminal, options, target, async (keys) => {
    const { keyCount, isComplete, events } = await keys.changes(id, since)
    const about = { key: id, organization: keys.organization.slug, keyCount, isComplete }
    const format = csv ? asCsv() : json ? asJson(about) : asText(about)
    await writePart(terminal.stdout, format.head)
    let count = 0
    for await (const part of events) {
      await writePart(terminal.stdout, format.part(part, count === 0))
      count += part.length
    }
    await writePart(terminal.stdout, format.foot(count))
    if (!isComplete && !json)
      print(terminal.stderr, 'The key has more descendants than these: the changes of the others are not listed.\n')
  })
}
