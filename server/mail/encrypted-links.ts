import type { Config } from '../config.ts'
import type { EmailKind } from '../db/email-table.ts'
import type { Db } from '../db/tables.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'
import { findSecret, portalSecretOf } from './secret-file.ts'

const PURPOSE = 'mail'
const READ_AT_ONCE = 500

/** Encrypts emails with links while they are queued; undefined: there is no mail server to send them. */
export const emailEncryptionOf = (config: Config): Encryption | undefined =>
  config.smtp && createEncryption(portalSecretOf(config), PURPOSE)

/** Queued emails that cannot be sent, by their kind: they were encrypted with another PORTAL_SECRET. */
export type Unreadable = Partial<Record<EmailKind, number>>

export async function unreadableEmails(db: Db, config: Config): Promise<Unreadable> {
  const secret = findSecret(config)
  const encryption = secret === undefined ? undefined : createEncryption(secret, PURPOSE)
  const unreadable: Unreadable = {}
  let after = ''
  for (;;) {
    const emails = await db
      .selectFrom('email')
      .select(['id', 'kind', 'text'])
      .where('encrypted', '=', 1)
      .where('sentAt', 'is', null)
      .where('text', '<>', '')
      .where('id', '>', after)
      .orderBy('id')
      .limit(READ_AT_ONCE)
      .execute()
    for (const { id, kind, text } of emails) {
      after = id
      if (!canDecrypt(encryption, text, id)) unreadable[kind] = (unreadable[kind] ?? 0) + 1
    }
    if (emails.length < READ_AT_ONCE) return unreadable
  }
}

function canDecrypt(encryption: Encryption | undefined, text: string, id: string): boolean {
  try {
    return encryption?.decrypt(text, id) !== undefined
  } catch {
    return false
  }
}
