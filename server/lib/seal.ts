import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { someBytes } from './random.ts'

const CIPHER = 'aes-256-gcm'
const KEY_LENGTH = 32
const NONCE_LENGTH = 12
const TAG_LENGTH = 16

/** Hides what has to be read back later. */
export interface Seal {
  /** `about` is not hidden: what is sealed opens together with it alone, so it cannot be put in another's place. */
  close(text: string, about: string): string
  /** Throws when it was sealed with another secret, about something else, or was changed. */
  open(sealed: string, about: string): string
}

/** AES-256-GCM with a key of its own for each purpose, all from one secret. */
export function createSeal(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_LENGTH))
  return {
    close(text, about) {
      const nonce = someBytes(NONCE_LENGTH)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(about))
      const hidden = [cipher.update(text, 'utf8'), cipher.final()]
      return Buffer.concat([nonce, ...hidden, cipher.getAuthTag()]).toString('base64url')
    },
    open(sealed, about) {
      const bytes = Buffer.from(sealed, 'base64url')
      const nonce = bytes.subarray(0, NONCE_LENGTH)
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH })
        .setAAD(Buffer.from(about))
        .setAuthTag(bytes.subarray(-TAG_LENGTH))
      const hidden = bytes.subarray(NONCE_LENGTH, -TAG_LENGTH)
      return decipher.update(hidden, undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
