import type { Config } from '../config.ts'
import { findSecret, replaceSecretFile } from '../mail/secret-file.ts'
import type { About } from './format.ts'

/**
 * Where the PORTAL_SECRET of a restored backup is. Missing: it was not encrypted, so it is not in it. Same: this portal
 * has it. Written: to the file in `DATA_DIR`. Other: this portal has another one in its variable, which only the operator
 * can change; that of the backup is in a file of its own.
 */
export type SecretPlace = 'missing' | 'same' | 'written' | 'other'

export const RESTORED_SECRET = 'portal.secret.restored'

export function placeSecret(config: Config, { secret }: About): SecretPlace {
  if (secret === undefined) return 'missing'
  if (findSecret(config) === secret) return 'same'
  if (config.portalSecret !== undefined) {
    replaceSecretFile(config.dataDir, secret, RESTORED_SECRET)
    return 'other'
  }
  replaceSecretFile(config.dataDir, secret)
  return 'written'
}
