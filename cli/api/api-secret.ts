import { readFileSync } from 'node:fs'
import { OperatorError } from '../../server/lib/app-error.ts'
import { badInput } from '../../server/lib/check.ts'
import { isWellFormed } from '../../server/secrets/secret.ts'
import { readSecret } from '../ask.ts'
import type { Terminal } from '../terminal.ts'

/**
 * The secret of the key: from `--secret-file`, `API_SECRET` or `API_SECRET_FILE`, or else typed or piped in. Never from an
 * argument, which the shell remembers and every process of the machine can read.
 */
export async function readApiSecret(
  terminal: Terminal,
  { secretFile, stdinIsTaken = false }: { secretFile?: string | undefined; stdinIsTaken?: boolean },
): Promise<string> {
  const { API_SECRET: given, API_SECRET_FILE: file } = terminal.env
  const path = secretFile ?? (given?.trim() ? undefined : file?.trim() || undefined)
  if (path === undefined && !given?.trim() && stdinIsTaken)
    throw badInput(
      'secret',
      'Set API_SECRET or API_SECRET_FILE, or give --secret-file: stdin is used for something else.',
    )
  const secret = path === undefined ? given?.trim() || (await readSecret(terminal)) : contentOf(path)
  if (isWellFormed('emp_', secret.trim())) return secret.trim()
  throw badInput('secret', 'This is not the secret of an API key: it begins with emp_ and has 53 characters.')
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError('The file with the secret cannot be read: check the path and its owner.', error)
  }
}
