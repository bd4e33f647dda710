import { RECENT_MS, secretFingerprint } from '../mail/secret-fingerprint.ts'
import { type Check, failure, success } from './check.ts'
import { hasTable } from './read-only-database.ts'

/** Whether all replicas, and this command, have one `PORTAL_SECRET`. */
export const portalSecret: Check = {
  name: 'PORTAL_SECRET',
  async run({ config, database }) {
    const mine = fingerprintOr(config)
    if (mine instanceof Error)
      return [failure(`${mine.message.split(': ')[0]}.`, 'Check its owner, or restore it from a backup.')]
    const noted = database && (await hasTable(database, 'secretFingerprint')) ? await database.query(NOTED) : []
    const newest = Number(noted[0]?.['seenAt'] ?? 0)
    const recent = noted.filter(({ seenAt }) => Number(seenAt) > newest - RECENT_MS)
    if (recent.length > 1)
      return [
        failure(
          `${recent.length} different secrets were in use within half an hour: replicas cannot decrypt each other's queued emails.`,
          'Set the same PORTAL_SECRET for all of them. If you have just changed it everywhere, check again later.',
        ),
      ]
    if (recent[0] && recent[0]['fingerprint'] !== mine)
      return [
        failure(
          'The portal on this database uses another PORTAL_SECRET than this command.',
          'Set the secret that the portal was started with: queued emails cannot be decrypted with another one.',
        ),
      ]
    if (recent[0]) return [success('The portal on this database uses the same secret.')]
    return [
      success(
        mine
          ? 'No portal has been started with a secret yet.'
          : 'There is no secret yet: one is created when it is needed.',
      ),
    ]
  },
}

const NOTED = 'select "fingerprint", "seenAt" from "secretFingerprint" order by "seenAt" desc'

function fingerprintOr(config: Parameters<typeof secretFingerprint>[0]): string | undefined | Error {
  try {
    return secretFingerprint(config)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
