import type { Command } from 'commander'
import { RESTORED_SECRET, type Restored } from '../../server/backup/restore.ts'
import { readConfig } from '../../server/config.ts'
import type { Present } from '../../server/db/dump.ts'
import { inWords } from '../../server/ledger/restore-notice.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { createLog } from '../../server/lib/log.ts'
import { addCommand, answering } from '../command.ts'
import { heldField, heldLines } from '../held-notice.ts'
import { interruptible } from '../interruptible.ts'
import { numberInWords } from '../numbers.ts'
import { type PassphraseOptions, passphraseOf } from '../passphrase.ts'
import { showProgress } from '../progress.ts'
import { type Asking, askFirst } from '../revoking.ts'
import type { Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

interface Options extends Asking, Pick<PassphraseOptions, 'passphraseFile'> {
  replace?: boolean
}

/** Returns the command, which has others below it. */
export function addRestore(program: Command, terminal: Terminal): Command {
  const command = addCommand(program, {
    name: 'restore',
    message:
      'Restore a backup into the database of the settings, which is empty and of either kind. No portal may run.',
    example: 'restore /mnt/backups/portal-2026-11-16.backup',
  })
  return command
    .argument('[file]', 'a backup, of either kind of database')
    .option('--replace', 'replace all that the database has; asks first')
    .option('--yes', 'do not ask')
    .option('--passphrase-file <path>', 'a file whose first line is the passphrase')
    .enablePositionalOptions() // options after `accept` are its own
    .action(
      answering(terminal, (file: string | undefined, options: Options) =>
        file === undefined ? command.error('error: name the backup to restore') : restore(terminal, file, options),
      ),
    )
}

async function restore(terminal: Terminal, file: string, { replace = false, ...options }: Options) {
  const config = readConfig(terminal.env)
  const { restoreBackup } = await import('../../server/backup/restore.ts')
  const restored = await interruptible((signal) =>
    restoreBackup(config, file, {
      now: systemClock,
      log: createLog('silent', terminal.stderr),
      replace,
      confirm: (present, { location, about }) =>
        askFirst(terminal, questionOf(present, location, about.createdAt), { ...options, otherwise: NOTHING_DONE }),
      askPassphrase: () => passphraseOf(terminal, options),
      onProgress: showProgress(terminal, options),
      signal,
    }),
  )
  return { document: documentOf(file, restored), text: textOf(file, restored) }
}

const NOTHING_DONE = 'Nothing was changed: answer yes, or give --yes.'

const questionOf = ({ organizations, people, keys, devices }: Present, location: string, createdAt: number) =>
  [
    `The database in ${location} has ${numberInWords(organizations)} organizations, ${numberInWords(people)} people, ${numberInWords(keys)} API keys and ${numberInWords(devices)} devices.`,
    `Replace all of it by the backup of ${readableTime(createdAt)}? What has been changed since then is lost, and everybody has to sign in again.`,
    'Answer yes to continue: ',
  ].join('\n')

const documentOf = (file: string, restored: Restored) => ({
  file,
  location: restored.location,
  createdAt: isoTime(restored.about.createdAt),
  rows: restored.about.rows,
  tables: Object.fromEntries(restored.tables.map(({ name, rows }) => [name, rows])),
  endedAgain: restored.reconciled ?? null,
  ...heldField(restored.heldSince),
  newLedger: restored.isNewLedger,
  portalSecret: restored.secret,
  unreadableEmails: restored.unreadable,
})

const textOf = (
  file: string,
  { about, location, tables, reconciled, heldSince, isNewLedger, secret, unreadable }: Restored,
) =>
  [
    `Restored ${file}, the backup of ${readableTime(about.createdAt)}, into ${location}: ${numberInWords(about.rows)} rows of ${tables.length} tables.`,
    ...(reconciled ? [`Ended again: ${inWords(reconciled)}.`] : []),
    ...heldLines(heldSince).slice(0, 1),
    ...(isNewLedger ? [withoutLedger(about.createdAt)] : []),
    SECRETS[secret],
    ...unreadableLines(unreadable),
  ].join('\n')

const withoutLedger = (createdAt: number) =>
  `There was no ledger here: keys that were revoked after ${readableTime(createdAt)} are accepted again. If the portal had a ledger elsewhere, set LEDGER to it and start the portal; otherwise revoke those keys.`

const SECRETS: Record<Restored['secret'], string> = {
  missing: 'PORTAL_SECRET is not in this backup: set the one of the backed up portal.',
  same: 'PORTAL_SECRET is the one of the backup.',
  written: 'PORTAL_SECRET of the backup is now in portal.secret in DATA_DIR.',
  other: `PORTAL_SECRET is set to another one than that of the backup, which is now in ${RESTORED_SECRET} in DATA_DIR: to use that one, set PORTAL_SECRET_FILE to it, or PORTAL_SECRET to its content; otherwise delete the file.`,
}

function unreadableLines(unreadable: Restored['unreadable']): string[] {
  const kinds = Object.entries(unreadable)
  if (kinds.length === 0) return ['No queued email needs another PORTAL_SECRET.']
  const list = kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')
  return [`Queued emails that cannot be sent with the present PORTAL_SECRET: ${list}.`]
}
