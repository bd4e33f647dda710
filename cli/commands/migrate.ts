import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../server/config.ts'
import { MIGRATIONS, pendingMigrations } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { type Answer, addCommand, answering } from '../command.ts'
import { Reported } from '../errors.ts'
import { withPortal } from '../portal.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  check?: boolean
  backup: boolean
}

export function addMigrate(program: Command, terminal: Terminal): void {
  const command = addCommand(program, {
    name: 'migrate',
    message:
      'Bring the database up to date, as serve does. Every other command refuses one that is older. On SQLite, an existing database is copied first.',
    example: 'migrate --check',
  })
    .option('--check', 'change nothing: exit code 0 if the database is up to date, 1 if migrations are pending')
    .option('--no-backup', 'on SQLite: make no copy first, as you have a backup')
  command.action(async function (this: Command, options: Options) {
    let isPending = false
    const work = async () => {
      if (!options.check) return upgrade(terminal, options)
      const { answer, pending } = await check(readConfig(terminal.env))
      isPending = pending.length > 0
      return answer
    }
    await answering(terminal, work).call(this)
    if (isPending) throw new Reported(1)
  })
}

const upgrade = (terminal: Terminal, { backup }: Options): Promise<Answer> =>
  withPortal(
    terminal,
    async ({ applied, copy, database }) => ({
      document: { applied, copy: copy ?? null },
      text:
        applied.length === 0
          ? `The database in ${database.location} is up to date.`
          : [`Brought the database in ${database.location} up to date:`, ...applied.map((name) => `  ${name}`)].join(
              '\n',
            ),
    }),
    { upgrade: backup ? 'with copy' : 'without copy' },
  )

async function check(config: Config): Promise<{ answer: Answer; pending: string[] }> {
  const { version, pending } = await stateOf(config)
  const document = { version, latest: MIGRATIONS.length, upToDate: pending.length === 0, pending }
  const text =
    pending.length === 0
      ? `The database is up to date: version ${version}.`
      : [
          version === 0
            ? 'There is no database yet. Pending:'
            : `The database has version ${version} of ${MIGRATIONS.length}. ${PORTAL} migrate, or starting this version, brings it up to date. Pending:`,
          ...pending.map((name) => `  ${name}`),
        ].join('\n')
  return { answer: { document, text }, pending }
}

/** Opening SQLite would create a database where there is none. */
async function stateOf(config: Config) {
  if (!config.postgres && !existsSync(join(config.dataDir, 'portal.db')))
    return { version: 0, pending: MIGRATIONS.map(({ name }) => name) }
  const database = await openDatabase(config)
  try {
    return await pendingMigrations(database)
  } finally {
    await database.close()
  }
}
