import type { Config } from '../config.ts'
import type { WebhookTable } from '../db/webhook-tables.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'
import { readExistingSecret } from '../mail/secret-file.ts'
import { RECENT_MS, secretFingerprint } from '../mail/secret-fingerprint.ts'
import { signingSecrets, WEBHOOK_PURPOSE } from '../webhooks/webhook-secret.ts'
import { type ReadOnlyDatabase, rowsOf } from './read-only-database.ts'
import { type Found, failure, type Installation, success } from './result.ts'

/** Whether all replicas, and this command, have one `PORTAL_SECRET`. */
export async function portalSecret({ config, database }: Installation): Promise<Found> {
  const mine = fingerprintOr(config)
  if (mine instanceof Error)
    return failure(`${mine.message.split(': ')[0]}.`, 'Check its owner, or restore it from a backup.')
  const noted = await rowsOf(database, 'secretFingerprint', NOTED)
  const newest = Number(noted[0]?.['seenAt'] ?? 0)
  const recent = noted.filter(({ seenAt }) => Number(seenAt) > newest - RECENT_MS)
  if (recent.length > 1)
    return failure(
      `${recent.length} different secrets were in use within half an hour: replicas cannot decrypt each other's queued emails.`,
      'Set the same PORTAL_SECRET for all of them. If you have just changed it everywhere, check again later.',
    )
  if (recent[0] && recent[0]['fingerprint'] !== mine)
    return failure(
      'The portal on this database uses another PORTAL_SECRET than this command.',
      'Set the secret that the portal was started with: queued emails cannot be decrypted with another one.',
    )
  if (recent[0]) return success('The portal on this database uses the same secret.')
  return success(
    mine
      ? 'No portal has been started with a secret yet.'
      : 'There is no secret yet: one is created when it is needed.',
  )
}

const NOTED = 'select "fingerprint", "seenAt" from "secretFingerprint" order by "seenAt" desc'

function fingerprintOr(config: Parameters<typeof secretFingerprint>[0]): string | undefined | Error {
  try {
    return secretFingerprint(config)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const AT_ONCE = 1000
const NAMED = 5

/** Whether deliveries to webhooks can be signed: their secrets are encrypted with `PORTAL_SECRET`. */
export async function webhookSecrets({ config, database, options: { now } }: Installation): Promise<Found> {
  const encryption = encryptionOf(config)
  if (encryption === 'unreadable') return [] // the check of PORTAL_SECRET says so
  let all = 0
  const lost: string[] = []
  for await (const webhook of webhooksOf(database)) {
    all++
    if (!canSign(encryption, webhook, now())) lost.push(webhook.id)
  }
  if (all === 0) return []
  if (lost.length === 0) return success(`The secrets of all webhooks (${all}) can be decrypted.`)
  const others = lost.length - NAMED
  return failure(
    `The secrets of ${lost.length} of ${all} webhooks cannot be decrypted with this PORTAL_SECRET, so nothing is delivered to them: ${lost.slice(0, NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}.`,
    'Set the PORTAL_SECRET that they were created with. If it is lost, their Admins have to rotate their secrets.',
  )
}

/** Undefined: there is no secret; unlike the portal, this creates none. */
function encryptionOf({ portalSecret, dataDir }: Config): Encryption | undefined | 'unreadable' {
  try {
    const secret = portalSecret ?? readExistingSecret(dataDir)
    return secret === undefined ? undefined : createEncryption(secret, WEBHOOK_PURPOSE)
  } catch {
    return 'unreadable'
  }
}

function canSign(encryption: Encryption | undefined, webhook: Signing, now: number): boolean {
  try {
    return encryption !== undefined && signingSecrets(encryption, webhook, now).length > 0
  } catch {
    return false
  }
}

type Signing = Parameters<typeof signingSecrets>[1]

async function* webhooksOf(database: ReadOnlyDatabase | undefined): AsyncGenerator<Signing> {
  for (let offset = 0; ; offset += AT_ONCE) {
    const rows = (await rowsOf(
      database,
      'webhook',
      `select "id", "secret", "previousSecret", "previousSecretUntil" from "webhook" order by "id" limit ${AT_ONCE} offset ${offset}`,
    )) as unknown as Pick<WebhookTable, keyof Signing>[] // as the table is declared
    yield* rows
    if (rows.length < AT_ONCE) return
  }
}
