import type { Config } from '../config.ts'
import type { WebhookTable } from '../db/webhook-tables.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'
import { readExistingSecret } from '../mail/secret-file.ts'
import { signingSecrets, WEBHOOK_PURPOSE } from '../webhooks/webhook-secret.ts'
import { type Check, failure, success } from './check.ts'
import { hasTable, type ReadOnlyDatabase } from './read-only-database.ts'

const AT_ONCE = 1000
const NAMED = 5

/** Whether deliveries to webhooks can be signed: their secrets are encrypted with `PORTAL_SECRET`. */
export const webhookSecrets: Check = {
  name: 'webhook secrets',
  async run({ config, database, options: { now } }) {
    if (!database || !(await hasTable(database, 'webhook'))) return []
    const encryption = encryptionOf(config)
    if (encryption === 'unreadable') return [] // the check of PORTAL_SECRET says so
    let all = 0
    const lost: string[] = []
    for await (const webhook of webhooksOf(database)) {
      all++
      if (!canSign(encryption, webhook, now())) lost.push(webhook.id)
    }
    if (all === 0) return []
    if (lost.length === 0) return [success(`The secrets of all webhooks (${all}) can be decrypted.`)]
    const others = lost.length - NAMED
    return [
      failure(
        `The secrets of ${lost.length} of ${all} webhooks cannot be decrypted with this PORTAL_SECRET, so nothing is delivered to them: ${lost.slice(0, NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}.`,
        'Set the PORTAL_SECRET that they were created with. If it is lost, their Admins have to rotate their secrets.',
      ),
    ]
  },
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

async function* webhooksOf(database: ReadOnlyDatabase): AsyncGenerator<Signing> {
  for (let offset = 0; ; offset += AT_ONCE) {
    const rows = (await database.query(
      `select "id", "secret", "previousSecret", "previousSecretUntil" from "webhook" order by "id" limit ${AT_ONCE} offset ${offset}`,
    )) as unknown as Pick<WebhookTable, keyof Signing>[] // as the table is declared
    yield* rows
    if (rows.length < AT_ONCE) return
  }
}
