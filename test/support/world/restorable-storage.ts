import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dropDatabase, urlOf } from '../postgres/postgres-databases.ts'
import { askOnce } from '../postgres/postgres-sql.ts'
import { newMigratedStorage, type Storage } from './storage.ts'

/** A storage whose database goes back to an earlier state while its portal is stopped; its ledger does not. */
export interface RestorableStorage extends Storage {
  /** The path of the ledger. */
  ledger: string
  backUp(): Promise<void>
  /** The variables to start another portal with, on the backup, with the same ledger. */
  ofBackup: Record<string, string>
  restore(): Promise<void>
}

export async function newRestorableStorage(): Promise<RestorableStorage> {
  const storage = await newMigratedStorage()
  const { DATABASE_URL: url, DATA_DIR: folder = '', LEDGER: ledger = join(folder, 'revoked.db') } = storage.env
  const { ofBackup, ...ways } = url ? inPostgres(url) : inFile(folder)
  return { ...storage, ledger, ofBackup: { ...storage.env, LEDGER: ledger, ...ofBackup }, ...ways }
}

function inFile(folder: string) {
  const [file, folderOfBackup] = [join(folder, 'portal.db'), join(folder, 'backup')]
  const backup = join(folderOfBackup, 'portal.db')
  mkdirSync(folderOfBackup)
  return {
    ofBackup: { DATA_DIR: folderOfBackup },
    backUp: async () => copyFileSync(file, backup),
    restore: async () => {
      for (const each of ['-wal', '-shm']) rmSync(file + each, { force: true })
      copyFileSync(backup, file)
    },
  }
}

/** Copies of whole databases. Their names begin like that of the run, which drops them at its end. */
function inPostgres(url: string) {
  const name = new URL(url).pathname.slice(1)
  const [backup, server] = [`${name}_b`, urlOf(url, 'postgres')]
  const copy = (from: string, to: string) =>
    askOnce(server)((sql) => sql`create database ${sql(to)} template ${sql(from)} strategy file_copy`)
  return {
    ofBackup: { DATABASE_URL: urlOf(url, backup) },
    backUp: async () => void (await copy(name, backup)),
    restore: async () => {
      await dropDatabase(server, name)
      await copy(backup, name)
    },
  }
}
