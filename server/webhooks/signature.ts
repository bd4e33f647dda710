import { createHmac } from 'node:crypto'
import { someBytes } from '../lib/random.ts'

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
