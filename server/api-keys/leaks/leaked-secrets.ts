import type { Ctx } from '../../caller/ctx.ts'
import type { Database } from '../../db/database.ts'
import { lookup } from '../../db/lookup.ts'
import { partsOf } from '../../lib/parts.ts'
import { hashSecret, isWellFormed } from '../../secrets/secret.ts'

const AT_ONCE = 500

export type FoundSecret =
  | { is: 'key'; id: string; organizationId: string }
  | { is: 'canary'; id: string; organizationId: string }
  | { is: 'revoked' }
  | { is: 'unknown' }

const UNKNOWN: FoundSecret = { is: 'unknown' }

const keyBySecret = lookup({ secretHash: 'bytes' }, (db, { secretHash }) =>
  db.selectFrom('apiKey').select(['id', 'organizationId']).where('secretHash', '=', secretHash),
)
const canaryBySecret = lookup({ secretHash: 'bytes' }, (db, { secretHash }) =>
  db.selectFrom('canaryApiKey').select(['id', 'organizationId']).where('secretHash', '=', secretHash),
)

/** Finds out what each of these secrets is. One of the wrong format costs no query. */
export async function findSecrets(database: Database, secrets: readonly string[]): Promise<Map<string, FoundSecret>> {
  const found = new Map<string, FoundSecret>()
  const wellFormed = new Map<string, Uint8Array>()
  for (const secret of secrets) {
    if (isWellFormed('emp_', secret)) wellFormed.set(secret, hashSecret(secret))
    else found.set(secret, UNKNOWN)
  }
  for (const part of partsOf([...wellFormed], AT_ONCE)) {
    const answers = await Promise.all(part.map(([, secretHash]) => findOne(database, secretHash)))
    for (const [i, [secret]] of part.entries()) found.set(secret, answers[i] ?? UNKNOWN)
  }
  const gone = [...wellFormed].filter(([secret]) => found.get(secret)?.is === 'unknown')
  if (gone.length > 0) for (const secret of await revokedAmong(database, gone)) found.set(secret, { is: 'revoked' })
  return found
}

async function findOne(database: Database, secretHash: Uint8Array): Promise<FoundSecret> {
  const { row: key } = await database.lookUp(keyBySecret, { secretHash })
  if (key) return { is: 'key', id: key.id, organizationId: key.organizationId }
  const { row: canary } = await database.lookUp(canaryBySecret, { secretHash })
  return canary ? { is: 'canary', id: canary.id, organizationId: canary.organizationId } : UNKNOWN
}

/** Secrets of revoked keys; also of one whose revocation is not in the ledger yet, since its process was killed. */
async function revokedAmong(database: Database, secrets: readonly [string, Uint8Array][]): Promise<string[]> {
  await database.settleRevocations()
  const revoked: string[] = []
  for (const part of partsOf(secrets, AT_ONCE)) {
    const bySubject = new Map(part.map(([secret, hash]) => [Buffer.from(hash).toString('hex'), secret]))
    const rows = await database.read
      .selectFrom('revocation')
      .select('subject')
      .where('subject', 'in', [...bySubject.keys()])
      .where('kind', '=', 'KEY')
      .execute()
    revoked.push(...rows.flatMap(({ subject }) => bySubject.get(subject) ?? []))
  }
  return revoked
}

export function portalContext({ database, now }: Pick<Ctx, 'database' | 'now'>, organizationId: string): Ctx {
  const caller = { kind: 'SYSTEM', organizationId, role: 'ADMIN' } as const
  return { caller, reads: database.readFor(organizationId), database, now }
}
