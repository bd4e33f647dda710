import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { someBytes } from './random.ts'

const CIPHER = 'aes-256-gcm'
const KEY_LENGTH = 32
const NONCE_LENGTH = 12
const TAG_LENGTH = 16

export interface Encryption {
  /** `context` is authenticated, not encrypted: the text can only be decrypted with the same context, so two texts cannot be swapped. */
  encrypt(text: string, context: string): string
  /** Throws if it was encrypted with another secret or context, or was changed. */
  decrypt(encrypted: string, context: string): string
}

/** AES-256-GCM with a separate key for each purpose, all derived from one secret. */
export function createEncryption(secret: string, purpose: string): Encryption {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_LENGTH))
  return {
    encrypt(text, context) {
      const nonce = someBytes(NONCE_LENGTH)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context))
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()]
      return Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]).toString('base64url')
    },
    decrypt(encrypted, context) {
      const bytes = Buffer.from(encrypted, 'base64url')
      const nonce = bytes.subarray(0, NONCE_LENGTH)
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_LENGTH))
      const payload = bytes.subarray(NONCE_LENGTH, -TAG_LENGTH)
      return decipher.update(payload, undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
