import { readFileSync, statSync } from 'node:fs'
import { getSystemErrorMessage } from 'node:util'

/** Every variable that holds a secret. Each can be given as a file: `PORTAL_SECRET_FILE` names one with the value. */
export const SECRET_VARIABLES = [
  'DATABASE_URL',
  'PORTAL_SECRET',
  'ADMIN_PASSWORD',
  'VALKEY_URL',
  'SMTP_URL',
  'METRICS_TOKEN',
  'BACKUP_PASSPHRASE',
] as const

const LARGEST_BYTES = 64 * 1024

type Env = Readonly<Record<string, string | undefined>>

interface WithFiles {
  env: Env
  /** What is wrong with the files. A path is not repeated: it may be the secret itself, set under the wrong name. */
  problems: string[]
}

/** The environment with the content of the files in place of their names. A line break at the end is no part of it. */
export function readSecretVariables(given: Env): WithFiles {
  const env: Record<string, string | undefined> = { ...given }
  const problems: string[] = []
  for (const name of SECRET_VARIABLES) {
    const path = given[`${name}_FILE`]?.trim()
    if (!path) continue
    if (given[name]?.trim()) {
      problems.push(`${name} and ${name}_FILE are both set, set one of them`)
      continue
    }
    const { value, problem } = read(path)
    if (problem) problems.push(`${name}_FILE ${problem}`)
    env[name] = value
  }
  return { env, problems }
}

function read(path: string): { value?: string; problem?: string } {
  try {
    const file = statSync(path)
    if (file.isDirectory()) return { problem: 'names a folder, and must name a file' }
    if (!file.isFile() && !file.isFIFO()) return { problem: 'must name a plain file' } // some devices never end
    if (file.size > LARGEST_BYTES) return { problem: `names a file of more than ${LARGEST_BYTES / 1024} KiB` }
    const value = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '')
    return value.trim() ? { value } : { problem: 'names an empty file' }
  } catch (error) {
    return { problem: `names a file that cannot be read (${reasonOf(error)})` }
  }
}

const reasonOf = (error: unknown) =>
  error instanceof Error && 'errno' in error && typeof error.errno === 'number'
    ? getSystemErrorMessage(error.errno)
    : 'unknown'
