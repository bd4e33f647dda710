import type { Writable } from 'node:stream'
import type { Command } from 'commander'
import type { Made } from '../../server/backup/make.ts'
import { readConfig } from '../../server/config.ts'
import { OperatorError } from '../../server/lib/app-error.ts'
import { systemClock } from '../../server/lib/clock.ts'
import { PORTAL } from '../../server/lib/command-name.ts'
import { type Answer, addCommand } from '../command.ts'
import { interruptible } from '../interruptible.ts'
import { numberInWords, sizeInWords } from '../numbers.ts'
import { newPassphrase, type PassphraseOptions } from '../passphrase.ts'
import { showProgress } from '../progress.ts'
import { print, printJson, type Terminal } from '../terminal.ts'
import { isoTime, readableTime } from '../time.ts'

const STDOUT = '-'
const toTerminal = () => new OperatorError('A backup is not for a terminal: name a file, or pipe it on.')

interface Options extends PassphraseOptions {
  json?: boolean
}

/** Returns the command, which has others below it. */
export function addBackup(program: Command, terminal: Terminal): Command {
  const command = addCommand(program, {
    name: 'backup',
    message:
      'Write all that the database has to a file, which either kind of database can be restored from. The portal may run.',
    example: 'backup /mnt/backups/portal-2026-11-16.backup --encrypt',
  })
  return command
    .argument('[file]', 'a file that does not exist yet, or - for stdout')
    .option('--encrypt', 'encrypt it with a passphrase, typed or piped in, and put PORTAL_SECRET into it')
    .option('--passphrase-file <path>', 'the same with the first line of this file; BACKUP_PASSPHRASE is the same too')
    .enablePositionalOptions() // options after `verify` are its own
    .action(async (file: string | undefined, options: Options) => {
      if (file === undefined) command.error('error: name the file to write, or - for stdout')
      else await backUp(terminal, file, options)
    })
}

async function backUp(terminal: Terminal, file: string, options: Options): Promise<void> {
  const config = readConfig(terminal.env)
  const isStdout = file === STDOUT
  if (isStdout && 'isTTY' in terminal.stdout && terminal.stdout.isTTY) throw toTerminal()
  const passphrase = await newPassphrase(terminal, options)
  const { makeBackup, writeTo } = await import('../../server/backup/make.ts')
  const made = await interruptible((signal) => {
    const making = { now: systemClock, passphrase, onProgress: showProgress(terminal, options), signal }
    return isStdout
      ? writeTo(config, async () => terminal.stdout as Writable, making)
      : makeBackup(config, file, making)
  })
  const { document, text } = answerOf(isStdout ? undefined : file, made, passphrase !== undefined)
  const output = isStdout ? terminal.stderr : terminal.stdout
  if (options.json) printJson(output, document)
  else print(output, `${text}\n`)
}

function answerOf(
  file: string | undefined,
  made: Omit<Made, 'bytes'> & { bytes?: number },
  encrypted: boolean,
): Answer {
  const { about, tables, bytes } = made
  const { createdAt, rows, kind, database, secret } = about
  const size = bytes === undefined ? '' : `, ${sizeInWords(bytes)}`
  const lines = [
    `Backed up ${numberInWords(rows)} rows of ${tables.length} tables, as of ${readableTime(createdAt)}${file === undefined ? '' : `, to ${file}`}${size}.`,
    encrypted ? (secret === undefined ? NO_SECRET_YET : WITH_SECRET) : WITHOUT_SECRET,
    ...(file === undefined ? [] : [`${PORTAL} backup verify ${file} proves that it can be restored.`]),
  ]
  const document = {
    file: file ?? null,
    createdAt: isoTime(createdAt),
    rows,
    tables: Object.fromEntries(tables.map((table) => [table.name, table.rows])),
    bytes: bytes ?? null,
    database: { kind, version: database },
    encrypted,
    portalSecret: secret !== undefined,
  }
  return { document, text: lines.join('\n') }
}

const WITH_SECRET = 'It is encrypted, with PORTAL_SECRET in it: keep the passphrase, without which it is lost.'
const NO_SECRET_YET =
  'It is encrypted: keep the passphrase, without which the backup is lost. PORTAL_SECRET is not in it, since this command has none: if the portal has one, set it for this command too.'
const WITHOUT_SECRET =
  'It is not encrypted, and PORTAL_SECRET is not in it: keep that one too, elsewhere. Without it, queued emails with links cannot be sent after a restore, and webhooks need new secrets.'
