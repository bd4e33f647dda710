import type { Command } from 'commander'
import { addCommand, answering } from '../command.ts'
import { withPortal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'

export function addMigrate(program: Command, terminal: Terminal): void {
  addCommand(program, {
    name: 'migrate',
    message: 'Bring the database up to date. Every other command does so too.',
    example: 'migrate',
  }).action(
    answering(terminal, () =>
      withPortal(terminal, async ({ applied, database }) => ({
        document: { applied },
        text:
          applied.length === 0
            ? `The database in ${database.location} is up to date.`
            : [`Brought the database in ${database.location} up to date:`, ...applied.map((name) => `  ${name}`)].join(
                '\n',
              ),
      })),
    ),
  )
}
