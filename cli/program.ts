import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addApi } from './commands/api.ts'
import { addAuditExport } from './commands/audit-export.ts'
import { addBackup } from './commands/backup.ts'
import { addBackupVerify } from './commands/backup-verify.ts'
import { addDeviceCheckIn } from './commands/device-check-in.ts'
import { addDeviceCreate } from './commands/device-create.ts'
import { addDeviceDelete } from './commands/device-delete.ts'
import { addDeviceList } from './commands/device-list.ts'
import { addDeviceShow } from './commands/device-show.ts'
import { addDeviceUpdate } from './commands/device-update.ts'
import { addDoctor } from './commands/doctor.ts'
import { addKeyCanary } from './commands/key-canary.ts'
import { addKeyChanges } from './commands/key-changes.ts'
import { addKeyGenerate } from './commands/key-generate.ts'
import { addKeyLeaked } from './commands/key-leaked.ts'
import { addKeyList } from './commands/key-list.ts'
import { addKeyPause, addKeyResume } from './commands/key-pause.ts'
import { addKeyPrune } from './commands/key-prune.ts'
import { addKeyRevoke } from './commands/key-revoke.ts'
import { addKeyRotate } from './commands/key-rotate.ts'
import { addKeyShow } from './commands/key-show.ts'
import { addKeyUpdate } from './commands/key-update.ts'
import { addMigrate } from './commands/migrate.ts'
import { addOrgApiKeys } from './commands/org-api-keys.ts'
import { addOrgCreate } from './commands/org-create.ts'
import { addOrgEmails } from './commands/org-emails.ts'
import { addOrgList } from './commands/org-list.ts'
import { addOrgPolicy } from './commands/org-policy.ts'
import { addRestore } from './commands/restore.ts'
import { addRestoreAccept } from './commands/restore-accept.ts'
import { addServe } from './commands/serve.ts'
import { addSupportGrant, addSupportRevoke } from './commands/support.ts'
import { addUserCreate } from './commands/user-create.ts'
import { addUserInvite } from './commands/user-invite.ts'
import { addUserReset } from './commands/user-reset.ts'
import { print, type Terminal } from './terminal.ts'

/** The whole command line. It throws instead of exiting, and `run.ts` prints errors. */
export function createProgram(terminal: Terminal = process): Command {
  const program = new Command('portal')
    .description('Runs and administers an Edge Management Portal. For the operator of the machine.')
    .version(manifest.version, '--version', 'print the version')
    .exitOverride()
    .enablePositionalOptions() // a command and one below it may have the same option
    .configureOutput({
      writeOut: (words) => print(terminal.stdout, words),
      writeErr: (words) => print(terminal.stderr, words),
      outputError: () => {},
    })
    .addHelpText('after', '\nExit codes: 0 done, 1 refused, 2 wrong usage.')
  addServe(program)
  addMigrate(program, terminal)
  addDoctor(program, terminal)
  const addGroup = (name: string, message: string, commands: ((group: Command, terminal: Terminal) => void)[]) => {
    const group = program.command(name).description(message)
    for (const add of commands) add(group, terminal)
  }
  addGroup('org', 'Organizations: API key switch, policy and emails.', [
    addOrgCreate,
    addOrgList,
    addOrgApiKeys,
    addOrgPolicy,
    addOrgEmails,
  ])
  addGroup('user', 'People.', [addUserCreate, addUserInvite, addUserReset])
  addGroup('support', "The vendor's support staff.", [addSupportGrant, addSupportRevoke])
  addGroup('key', 'API keys.', [
    addKeyGenerate,
    addKeyList,
    addKeyShow,
    addKeyUpdate,
    addKeyPause,
    addKeyResume,
    addKeyRotate,
    addKeyRevoke,
    addKeyPrune,
    addKeyChanges,
    addKeyLeaked,
    addKeyCanary,
  ])
  addGroup('device', 'Devices, of this database or of a portal elsewhere.', [
    addDeviceList,
    addDeviceShow,
    addDeviceCreate,
    addDeviceUpdate,
    addDeviceDelete,
    addDeviceCheckIn,
  ])
  addApi(program, terminal)
  addGroup('audit', 'The audit log.', [addAuditExport])
  addBackupVerify(addBackup(program, terminal), terminal)
  addRestoreAccept(addRestore(program, terminal), terminal)
  return program
}
