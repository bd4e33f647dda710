import type { Config } from '../config.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'
import { readSecretFile } from './secret-file.ts'

/** Encrypts emails with links while they are queued; undefined: there is no mail server to send them. */
export function emailEncryptionOf({ smtp, portalSecret, dataDir }: Config): Encryption | undefined {
  return smtp && createEncryption(portalSecret ?? readSecretFile(dataDir), 'mail')
}
