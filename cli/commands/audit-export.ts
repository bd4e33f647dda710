import type { Command } from 'commander'
import { type ExportedEvent, exportEvents } from '../../server/audit/export.ts'
import { escapedJson } from '../../server/lib/plain-text.ts'
import { addCommand } from '../command.ts'
import { writeNewFile, writePart } from '../new-file.ts'
import { organizationBySlug } from '../organization-context.ts'
import { type Portal, withPortal } from '../portal.ts'
import { print, printJson, type Terminal } from '../terminal.ts'
import { parseTime } from '../time.ts'

const STDOUT = '-'

interface Options {
  org?: string
  before?: number
  json?: boolean
}

export function addAuditExport(audit: Command, terminal: Terminal): void {
  addCommand(audit, {
    name: 'export',
    message:
      'Write audit events as JSON lines, the oldest first, to a new file or to stdout. RETAIN_AUDIT_DAYS says when they are deleted.',
    example: 'audit export events.jsonl --before 2027-01-01',
  })
    .argument('[file]', 'where to write; it must not exist yet (default, or -: stdout)')
    .option('--org <slug>', 'only of this organization (default: all of them)')
    .option('--before <date>', 'only events before this date or time (default: now)', parseTime)
    .action((file: string | undefined, options: Options) =>
      withPortal(terminal, async (portal) => {
        let events = 0
        const write = async (stream: NodeJS.WritableStream) => {
          for await (const part of await selected(portal, options)) {
            await writePart(stream, linesOf(part))
            events += part.length
          }
        }
        if (file === undefined || file === STDOUT) return write(terminal.stdout)
        await writeNewFile(file, write)
        if (options.json) printJson(terminal.stdout, { file, events })
        else print(terminal.stdout, `Wrote ${events} audit events to ${file}.\n`)
      }),
    )
}

async function selected(portal: Portal, { org, before }: Options): Promise<AsyncIterable<ExportedEvent[]>> {
  const organizationId = org === undefined ? undefined : (await organizationBySlug(portal, org)).organization.id
  return exportEvents(portal.database.read, { before: before ?? portal.now(), organizationId })
}

const linesOf = (events: ExportedEvent[]) => events.map((event) => `${escapedJson(JSON.stringify(event))}\n`).join('')
