import type { Config } from '../config.ts'
import type { WebhookTable } from '../db/webhook-tables.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'
import { portalSecretOf } from '../mail/secret-file.ts'

/** Of the key that is derived from the portal's secret. */
export const WEBHOOK_PURPOSE = 'webhook'

/** Encrypts the secrets of webhooks, which have to be read to sign deliveries. Creates the portal's secret if needed. */
export const webhookEncryptionOf = (config: Pick<Config, 'portalSecret' | 'dataDir'>): Encryption =>
  createEncryption(portalSecretOf(config), WEBHOOK_PURPOSE)

/** The secrets that sign a delivery now, the newest first. Throws if the portal's secret has changed. */
export function signingSecrets(
  encryption: Encryption,
  {
    id,
    secret,
    previousSecret,
    previousSecretUntil,
  }: Pick<WebhookTable, 'id' | 'secret' | 'previousSecret' | 'previousSecretUntil'>,
  now: number,
): string[] {
  const isOverlap = previousSecret !== null && previousSecretUntil !== null && now < previousSecretUntil
  return [secret, ...(isOverlap ? [previousSecret] : [])].map((encrypted) => encryption.decrypt(encrypted, id))
}
