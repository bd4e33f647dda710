import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { newMigratedStorage } from '../world/storage.ts'
import type { Planted } from './examined.ts'

/** The folder of a portal on SQLite that has been stopped. */
export async function stoppedPortal(): Promise<string> {
  const storage = await newMigratedStorage()
  onTestFinished(storage.remove)
  const { DATA_DIR: folder = '' } = storage.env
  chmodSync(folder, 0o700)
  return folder
}

/** Makes one thing wrong in such a folder. */
export type Plant = (folder: string) => Planted

export const inFolder =
  (plant: (folder: string) => void): Plant =>
  (folder) => {
    plant(folder)
    return { env: { DATA_DIR: folder } }
  }

export const withEnv =
  (env: Record<string, string>): Plant =>
  (folder) => ({ env: { DATA_DIR: folder, ...env } })

/** Runs statements on a file of SQLite that nobody uses. */
export function changeFile(path: string, ...statements: string[]): void {
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
}
