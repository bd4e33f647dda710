import { createHmac } from 'node:crypto'
import type { Config } from '../config.ts'
import type { WebhookTable } from '../db/webhook-tables.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'
import { someBytes } from '../lib/random.ts'
import { portalSecretOf } from '../mail/secret-file.ts'

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

const PREFIX = 'whsec_'
const SECRET_LENGTH = 32

/** A new secret as in Standard Webhooks: 32 random bytes in base64. */
export const newWebhookSecret = () => `${PREFIX}${someBytes(SECRET_LENGTH).toString('base64')}`

/** The headers that prove who has sent a message, and when: one signature for each secret. */
export function signedHeaders(
  message: { id: string; at: number; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(message.at / 1000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(signed, secret)).join(' '),
  }
}

const signatureOf = (signed: string, secret: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(signed)
    .digest('base64')}`
