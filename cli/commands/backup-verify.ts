import type { Command } from 'commander'
import type { Verified } from '../../server/backup/verify.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { addCommand, answering } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { numberInWords } from '../numbers.ts'
import { type PassphraseOptions, passphraseOf } from '../passphrase.ts'
import { showProgress } from '../progress.ts'
import { table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

interface Options extends PassphraseOptions {
  scratch?: string
  json?: boolean
}

export function addBackupVerify(backup: Command, terminal: Terminal): void {
  addCommand(backup, {
    name: 'verify',
    message: 'Restore a backup into a scratch database in the temporary folder, and compare it with what was written.',
    example: 'backup verify /mnt/backups/portal-2026-11-16.backup',
  })
    .argument('<file>', 'a backup of either kind of database')
    .option('--passphrase-file <path>', 'a file whose first line is the passphrase')
    .option('--scratch <folder>', 'where the scratch database is made, in place of the temporary folder')
    .action(answering(terminal, (file: string, options: Options) => verify(terminal, file, options)))
}

async function verify(terminal: Terminal, file: string, options: Options) {
  const { verifyBackup } = await import('../../server/backup/verify.ts')
  const askPassphrase = () => passphraseOf(terminal, options)
  const onProgress = showProgress(terminal, options)
  const verified = await interruptible((signal) =>
    verifyBackup(file, { now: systemClock, scratch: options.scratch, askPassphrase, onProgress, signal }),
  )
  return { document: documentOf(file, verified), text: textOf(file, verified) }
}

const documentOf = (file: string, { about, isEncrypted, tables }: Verified) => ({
  file,
  verified: true,
  createdAt: isoTime(about.createdAt),
  rows: about.rows,
  tables: Object.fromEntries(tables.map(({ name, rows, sha256 }) => [name, { rows, sha256 }])),
  database: { kind: about.kind, version: about.database },
  encrypted: isEncrypted,
  portalSecret: about.secret !== undefined,
})

const textOf = (file: string, { about, tables }: Verified) =>
  [
    table(
      ['table', 'rows'],
      tables.map(({ name, rows }) => [name, numberInWords(rows)]),
    ),
    '',
    `${file} can be restored: all ${numberInWords(about.rows)} rows are as they were at ${readableTime(about.createdAt)}.`,
  ].join('\n')
