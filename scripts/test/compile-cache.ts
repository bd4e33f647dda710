import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What Node.js has compiled for the tests; the portal's own is stored apart, and in use while this one is emptied. */
export const TEST_COMPILE_CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled-tests')
const MOST_FILES = 5000

/** Vitest loads each test file under a new name every time: what is stored of the old ones is never read again. */
export function emptyWhenLarge(folder: string, mostFiles = MOST_FILES): void {
  if (!existsSync(folder)) return
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  if (files.length > mostFiles) rmSync(folder, { recursive: true, force: true })
}
